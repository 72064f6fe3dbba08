// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.ge.redis.cache.CacheProperties.Near;
import io.ge.redis.cache.internal.CacheSettings;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NearCache}: all orders of loads, changes, news and lost subscriptions.
 */
class NearCacheTests {

	private static final CacheCodec CODEC = new CacheCodec(() -> JsonMapper.builder().build(), () -> Long.MAX_VALUE,
			() -> 0);

	private static final CacheType TYPE = CODEC.type(Integer.class);

	private static final CacheKey KEY = new CacheKey("numbers", List.of("a"));

	private static final Duration TTL = Duration.ofHours(1);

	private static final long MAX_STALENESS = 1000;

	private static final NearStore STORE = new CaffeineNearStore(new Near(true, 100, TTL));

	private static CacheType.Content content(@Nullable Object value) {
		return new CacheType.Content(value, CacheHeader.NONE);
	}

	// All orders

	@Test
	void noOrderOfTwoLoadsAndTwoChangesLeavesAnOldValue() {
		Orders orders = new Orders((world) -> List.of(world.reader(), world.reader(), world.changes(2), world.news(2)));
		assertThat(orders.explore(STORE)).isNull();
		assertThat(orders.explored).isGreaterThan(10_000);
		assertThat(orders.served).isGreaterThan(1_000);
	}

	@Test
	void noOrderWithALostSubscriptionLeavesAnOldValue() {
		Orders orders = new Orders((world) -> List.of(world.reader(), world.reader(), world.changes(1), world.news(1),
				world.subscription()));
		assertThat(orders.explore(STORE)).isNull();
		assertThat(orders.explored).isGreaterThan(50_000);
		assertThat(orders.served).isGreaterThan(2_000);
	}

	@Test
	void noOrderInWhichTimePassesServesWhatIsTooOld() {
		Orders orders = new Orders((world) -> List.of(world.reader(), world.changes(1), world.news(1), world.time(),
				world.confirmation(), world.subscription()));
		assertThat(orders.explore(STORE)).isNull();
		assertThat(orders.explored).isGreaterThan(20_000);
		assertThat(orders.served).isGreaterThan(100);
	}

	@Test
	void withoutTokensThereIsAnOrderThatLeavesAnOldValue() {
		Orders orders = new Orders((world) -> List.of(world.reader(), world.changes(1), world.news(1)));
		assertThat(orders.explore(new MapStore() {

			@Override
			public void replace(NearToken token, NearValue value) {
				this.slots.put(token.key(), value);
			}

		})).isEqualTo("begin, ask, change, news, keep");
	}

	@Test
	void withATokenThatAllLoadsShareThereIsOneTooAndItTakesTwoOfThem() {
		NearStore shared = new MapStore() {

			@Override
			public void replace(NearToken token, NearValue value) {
				this.slots.computeIfPresent(token.key(), (key, slot) -> (slot instanceof NearToken) ? value : slot);
			}

		};
		assertThat(new Orders((world) -> List.of(world.reader(), world.changes(1), world.news(1))).explore(shared))
			.isNull();
		assertThat(new Orders((world) -> List.of(world.reader(), world.reader(), world.changes(1), world.news(1)))
			.explore(shared)).contains("begin", "change", "news", "keep");
	}

	// One at a time

	@Test
	void valueIsServedOnlyWhileTheFeedIsConfirmed() {
		World world = new World(STORE);
		world.reader().forEach((step) -> step.action.run());
		world.clock = MAX_STALENESS;
		assertThat(world.get()).isNotNull();
		world.clock++;
		assertThat(world.get()).isNull();
		world.confirmedAt = 1;
		assertThat(world.get()).isNotNull();
	}

	@Test
	void nothingIsBegunUnlessTheFeedIsConfirmed() {
		World world = new World(STORE);
		world.clock = MAX_STALENESS + 1;
		assertThat(world.near.begin(KEY, world.clock)).isNull();
		assertThat(world.feed.isNeeded()).as("messages to itself are sent").isTrue();
		world.confirmedAt = 1;
		assertThat(world.near.begin(KEY, world.clock)).isNotNull();
	}

	@Test
	void nothingIsBegunBeforeTheVersionsOfTagsWereLookedAtInThisEpoch() {
		World world = new World(STORE);
		world.clock = 10;
		world.feed.interrupted();
		world.confirmedAt = 11;
		world.clock = 12;
		assertThat(world.near.begin(KEY, 9)).isNull();
		assertThat(world.near.begin(KEY, 10)).isNotNull();
	}

	@Test
	void valueIsServedNoLongerThanItsTtlAndItsExpiry() {
		World world = new World(STORE);
		world.keep(1, content(1), -1, 0);
		assertServedUntil(world, TTL.toNanos());
		world = new World(STORE);
		world.keep(1, content(1), 5, 0);
		assertServedUntil(world, 5_000_000);
		world = new World(STORE);
		world.keep(1, content(null), 7, 0);
		assertServedUntil(world, 7_000_000);
	}

	@Test
	void whereNewsGetLostValueIsServedAsLongAfterTheLookAndTheQuestionAsItMayBeStale() {
		World world = new World(STORE);
		NearCache near = new NearCache("numbers", STORE, world.feed, TTL, Duration.ofNanos(MAX_STALENESS));
		world.clock = 500;
		NearToken token = near.begin(KEY, 200);
		assertThat(token).isNotNull();
		world.clock = 600;
		token.keep(TYPE, content(1), -1, 0);
		assertServedUntil(world, 200 + MAX_STALENESS);
		world.confirmedAt = world.clock;
		assertThat(near.begin(KEY, 200)).as("the look is too old").isNull();
	}

	private static void assertServedUntil(World world, long until) {
		world.clock = until - 1;
		world.confirmedAt = world.clock;
		assertThat(world.near.get(KEY, TYPE, world.clock)).isNotNull();
		world.clock = until;
		world.confirmedAt = world.clock;
		assertThat(world.near.get(KEY, TYPE, world.clock)).isNull();
	}

	@Test
	void valueThatReadersWouldReplaceIsAskedForAFewTimesInItsLoadTime() {
		assertThat(NearCache.servedMillis(-1, 100, 1)).as("no expiry").isEqualTo(Long.MAX_VALUE);
		assertThat(NearCache.servedMillis(10_000, 0, 1)).as("load time not known").isEqualTo(10_000);
		assertThat(NearCache.servedMillis(10_000, 100, 0)).as("no early refresh").isEqualTo(10_000);
		assertThat(NearCache.servedMillis(10_000, 100, 1)).isEqualTo(9_300);
		assertThat(NearCache.servedMillis(10_000, 100, 2)).isEqualTo(8_800);
		assertThat(NearCache.servedMillis(705, 100, 1)).isEqualTo(12);
		assertThat(NearCache.servedMillis(700, 100, 1)).isEqualTo(12);
		assertThat(NearCache.servedMillis(100, 100, 1)).isEqualTo(12);
		assertThat(NearCache.servedMillis(3, 100, 1)).isEqualTo(3);
		assertThat(NearCache.servedMillis(50, 5, 1)).isEqualTo(15);
		assertThat(NearCache.servedMillis(20, 5, 1)).isEqualTo(1);
	}

	@Test
	void valueOfAnotherTypeIsNotServedAndIsReplaced() {
		World world = new World(STORE);
		world.keep(1, content(1), -1, 0);
		CacheType other = CODEC.type(String.class);
		assertThat(world.near.get(KEY, other, world.clock)).isNull();
		NearToken token = world.near.begin(KEY, 0);
		assertThat(token).isNotNull();
		token.keep(other, content("1"), -1, 0);
		assertThat(world.near.get(KEY, other, world.clock)).isNotNull();
		assertThat(world.near.get(KEY, TYPE, world.clock)).isNull();
	}

	@Test
	void valueOfALaterLoadIsNotReplacedByThatOfAnEarlierOne() {
		World world = new World(STORE);
		NearToken first = world.near.begin(KEY, 0);
		world.clock++;
		NearToken second = world.near.begin(KEY, 0);
		second.keep(TYPE, content(2208), -1, 0);
		first.keep(TYPE, content(2207), -1, 0);
		first.close();
		assertThat(world.get()).isEqualTo(2208);
	}

	@Test
	void valueOfALaterLoadReplacesThatOfAnEarlierOneUnlessAChangeWasHeard() {
		for (boolean changed : new boolean[] { false, true }) {
			World world = new World(STORE);
			NearToken first = world.near.begin(KEY, 0);
			world.clock++;
			NearToken second = world.near.begin(KEY, 0);
			first.keep(TYPE, content(2207), -1, 0);
			if (changed) {
				world.near.drop(KEY);
				world.clock++;
				world.near.begin(KEY, 0);
			}
			second.keep(TYPE, content(2208), -1, 0);
			assertThat(world.get()).isEqualTo(changed ? null : 2208);
		}
	}

	@Test
	void secondLoadOfAnEntryGetsATokenWhenTheFirstHasGivenItsBack() {
		World world = new World(STORE);
		NearToken first = world.near.begin(KEY, 0);
		first.close();
		NearToken second = world.near.begin(KEY, 0);
		assertThat(second).isNotNull();
		first.close();
		second.keep(TYPE, content(1), -1, 0);
		second.close();
		assertThat(world.get()).isEqualTo(1);
	}

	@Test
	void keyOfWhichOthersAreNotToldIsNotKept() {
		World world = new World(STORE);
		CacheKey told = new CacheKey("numbers", List.of("x".repeat(1016)));
		CacheKey tooLong = new CacheKey("numbers", List.of("x".repeat(1017)));
		assertThat(world.near.begin(tooLong, 0)).isNull();
		assertThat(world.feed.isNeeded()).isFalse();
		assertThat(world.near.begin(told, 0)).isNotNull();
	}

	@Test
	void whatAnotherReaderHasAskedForIsNotKept() {
		for (boolean asked : new boolean[] { false, true }) {
			World world = new World(STORE);
			NearToken token = world.near.begin(KEY, 0);
			token.keep(new CacheLookup.Found(new byte[0], -1, null, asked), TYPE, content(1), 0);
			token.close();
			assertThat(world.get()).isEqualTo(asked ? 1 : null);
		}
	}

	@Test
	void freesTheMemoryOfWhatHasStoodForItsTime() {
		NearStore shortLived = new CaffeineNearStore(new Near(true, 10, Duration.ofMillis(200)));
		World world = new World(shortLived);
		world.keep(1, content(1), -1, 0);
		assertThat(shortLived.size()).isOne();
		Awaitility.await().until(() -> shortLived.size() == 0);
	}

	@Test
	void holdsNoMoreThanItMay() {
		NearStore small = new CaffeineNearStore(new Near(true, 10, TTL));
		World world = new World(small);
		for (int i = 0; i < 1000; i++) {
			NearToken token = world.near.begin(new CacheKey("numbers", List.of("k" + i)), 0);
			token.keep(TYPE, content(i), -1, 0);
		}
		Awaitility.await().untilAsserted(() -> assertThat(small.size()).isBetween(1L, 10L));
	}

	/**
	 * One server, one instance with a memory, and the network between them.
	 */
	private static final class World {

		private long clock;

		private long confirmedAt;

		private int row;

		/** When each value of the row was replaced by the next. */
		private final List<Long> replaced = new ArrayList<>();

		/** On its way to the instance. */
		private final Deque<Integer> news = new ArrayDeque<>();

		private boolean subscribed = true;

		private final NearFeed feed = new NearFeed(() -> this.clock, () -> this.confirmedAt,
				Duration.ofNanos(MAX_STALENESS));

		private final NearCache near;

		World(NearStore store) {
			store.clear();
			this.near = new NearCache("numbers", store, this.feed, TTL, CacheSettings.EVER);
		}

		@Nullable Object get() {
			NearValue value = this.near.get(KEY, TYPE, this.clock);
			return (value != null) ? value.value() : null;
		}

		void keep(int number, CacheType.Content content, long left, double beta) {
			NearToken token = this.near.begin(KEY, this.clock);
			token.keep(TYPE, content, left, beta);
		}

		List<Step> reader() {
			NearToken[] token = new NearToken[1];
			int[] answer = new int[1];
			return List.of(new Step("begin", () -> token[0] = this.near.begin(KEY, this.clock)),
					new Step("ask", () -> answer[0] = this.row), new Step("keep", () -> {
						if (token[0] != null) {
							token[0].keep(TYPE, content(answer[0]), -1, 0);
							token[0].close();
						}
					}));
		}

		List<Step> changes(int number) {
			List<Step> steps = new ArrayList<>();
			for (int i = 0; i < number; i++) {
				steps.add(new Step("change", () -> {
					this.row++;
					this.replaced.add(this.clock);
					if (this.subscribed) {
						this.news.add(this.row);
					}
				}));
			}
			return steps;
		}

		List<Step> news(int number) {
			List<Step> steps = new ArrayList<>();
			for (int i = 0; i < number; i++) {
				steps.add(new Step("news", () -> !this.news.isEmpty(), this::hear));
			}
			return steps;
		}

		private void hear() {
			this.news.remove();
			this.near.drop(KEY);
		}

		List<Step> subscription() {
			return List.of(new Step("break", () -> {
				this.subscribed = false;
				this.news.clear();
			}), new Step("notice", this::lose), new Step("subscribe", this::subscribe));
		}

		private void lose() {
			this.confirmedAt = this.clock - Long.MAX_VALUE / 2;
			this.feed.interrupted();
		}

		private void subscribe() {
			this.subscribed = true;
			this.feed.interrupted();
			this.confirmedAt = this.clock;
		}

		List<Step> time() {
			return List.of(new Step("time", () -> this.clock += MAX_STALENESS + 1));
		}

		List<Step> confirmation() {
			return List.of(new Step("confirm", () -> this.subscribed && this.news.isEmpty(),
					() -> this.confirmedAt = this.clock));
		}

		/**
		 * Returns whether what would be served now was replaced too long ago.
		 */
		boolean servesTooOld() {
			Object served = get();
			return served instanceof Integer value && value < this.replaced.size()
					&& this.clock - this.replaced.get(value) > MAX_STALENESS;
		}

		/**
		 * Returns whether an old value is served when all have done what they do.
		 */
		boolean isStaleAtRest() {
			if (!this.subscribed) {
				lose();
				subscribe();
			}
			while (!this.news.isEmpty()) {
				hear();
			}
			this.confirmedAt = this.clock;
			Object served = get();
			return served != null && !served.equals(this.row);
		}

	}

	/**
	 * A step of one party.
	 */
	private record Step(String name, BooleanSupplier possible, Runnable action) {

		Step(String name, Runnable action) {
			this(name, () -> true, action);
		}

	}

	/**
	 * All orders of the steps of some parties, each played from the beginning.
	 */
	private static final class Orders {

		private final Function<World, List<List<Step>>> parties;

		private int explored;

		private int served;

		private @Nullable String stale;

		Orders(Function<World, List<List<Step>>> parties) {
			this.parties = parties;
		}

		/**
		 * Returns the shortest order after which an old value is served, or {@code null}.
		 */
		@Nullable String explore(NearStore store) {
			Deque<int[]> open = new ArrayDeque<>();
			open.add(new int[0]);
			while (this.stale == null && !open.isEmpty()) {
				int[] order = open.remove();
				play(store, order, open);
			}
			return this.stale;
		}

		private void play(NearStore store, int[] order, Deque<int[]> open) {
			World world = new World(store);
			List<List<Step>> all = this.parties.apply(world);
			int[] next = new int[all.size()];
			List<String> names = new ArrayList<>();
			for (int party : order) {
				Step step = all.get(party).get(next[party]++);
				step.action.run();
				names.add(step.name);
			}
			this.explored++;
			this.served += (world.get() != null) ? 1 : 0;
			boolean tooOld = world.servesTooOld();
			for (int party = 0; party < next.length; party++) {
				List<Step> steps = all.get(party);
				if (next[party] < steps.size() && steps.get(next[party]).possible.getAsBoolean()) {
					int[] longer = Arrays.copyOf(order, order.length + 1);
					longer[order.length] = party;
					open.add(longer);
				}
			}
			if (tooOld || world.isStaleAtRest()) {
				this.stale = String.join(", ", names);
			}
		}

	}

	/**
	 * A plain map.
	 */
	private static class MapStore implements NearStore {

		final Map<CacheKey, Slot> slots = new ConcurrentHashMap<>();

		@Override
		public @Nullable Slot get(CacheKey key) {
			return this.slots.get(key);
		}

		@Override
		public NearToken begin(NearToken token) {
			return this.slots.compute(token.key(), (key, before) -> (before instanceof NearToken) ? before : token)
				.token();
		}

		@Override
		public void replace(NearToken token, NearValue value) {
			this.slots.computeIfPresent(token.key(), (key, slot) -> token.mayReplace(slot) ? value : slot);
		}

		@Override
		public void remove(NearToken token) {
			this.slots.remove(token.key(), token);
		}

		@Override
		public void remove(CacheKey key) {
			this.slots.remove(key);
		}

		@Override
		public void clear() {
			this.slots.clear();
		}

		@Override
		public long size() {
			return this.slots.size();
		}

	}

}
