// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sized;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The scripts of shared locks against a model of them, step by step, over random
 * schedules: readers, writers, permits of limits that change, holders of the whole lock
 * by the other scripts, deaths, lost messages, lost data and clocks that jump. Time is
 * virtual, as in {@link LockScriptsModelIntegrationTests}; all leases end between two
 * tens of seconds, and time passes in tens of seconds, so that the server's own clock
 * ends nothing.
 */
@Sized
class ShareScriptsModelIntegrationTests {

	private static final String LOCK = "ge:lock:{a}";

	private static final List<String> KEYS = List.of(LOCK, LOCK + ":f1", LOCK + ":s1", LOCK + ":h1", LOCK + ":w1",
			LOCK + ":r1");

	private static final List<String> EXCLUSIVE_KEYS = List.of(LOCK, LOCK + ":f1", LOCK + ":q1", LOCK + ":d1");

	private static final int UNLIMITED = Integer.MAX_VALUE;

	/** Readers, writers, and permits of two configurations. */
	private static final int[] LIMITS = { UNLIMITED, 1, UNLIMITED, 2, 3 };

	private static final long TEN_SECONDS = 10_000_000;

	private static final long GRANT_MILLIS = 25_000;

	private static final long LEASE_MILLIS = 35_000;

	private static final long PLACE_MILLIS = 45_000;

	private static StandaloneRedis redis;

	@BeforeContainer
	static void start() {
		redis = RedisServers.standalone();
	}

	@AfterContainer
	static void stop() {
		redis.close();
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void scriptsDoWhatTheModelDoesAlsoWhenDataIsLost(@ForAll("schedules") List<Step> schedule) {
		new Run(Scripts.RIGHT, Upset.DATA_LOST).play(schedule);
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	@Wide
	void tokensRiseAlsoWhenTheClockStepsBack(@ForAll("schedules") List<Step> schedule) {
		new Run(Scripts.RIGHT, Upset.CLOCK_SET_BACK).play(schedule);
	}

	@Property(shrinking = ShrinkingMode.BOUNDED)
	void tokensRiseForWhoRemembersAlsoAfterBoth(@ForAll("schedules") List<Step> schedule) {
		new Run(Scripts.RIGHT, Upset.BOTH).play(schedule);
	}

	@Example
	void scriptsDoWhatTheModelDoesInRareSchedules() {
		Step.RARE.forEach((schedule) -> new Run(Scripts.RIGHT, Upset.DATA_LOST).play(schedule));
	}

	/**
	 * Each rule broken once, to see that the schedules reach it.
	 */
	@Wide
	@Example
	void brokenRulesAreNoticed() {
		List<Scripts> broken = List.of(Scripts.RIGHT.withShare("highest + 1, now)", "highest + 1)"),
				Scripts.RIGHT.withShare("or now + 511)", "or 0)"), Scripts.RIGHT.withShare("highest + 1, now)", "now)"),
				Scripts.RIGHT.withShare("'ZADD', queue, 'NX'", "'ZADD', queue"),
				Scripts.RIGHT.withShare("math.max(now, (youngest or 0) + 1)", "now"),
				Scripts.RIGHT.withShare("tonumber(deadline) > now", "true"),
				Scripts.RIGHT.withShare("math.min(wanted, smallest)", "wanted"),
				Scripts.RIGHT.withShare("math.min(wanted, smallest)", "smallest"),
				Scripts.RIGHT.withShare("not alone and count", "count"),
				Scripts.RIGHT.withShare("(not head or head == mine) and fits(limit)", "fits(limit)"),
				Scripts.RIGHT.withShare("if count == 0 or (had <= smallest and had < unlimited) then", "if false then"),
				Scripts.RIGHT.withShare("if least <= smallest then", "if true then"),
				Scripts.RIGHT.withShare("redis.call('ZRANGEBYSCORE', holders, '-inf', text(now))", "{}"),
				Scripts.RIGHT.withShare("if next(silent) then", "if false then"),
				Scripts.RIGHT.withShare("waiting ~= mine and silent", "silent"),
				Scripts.RIGHT.withShare("deadline - place * 1000 <= now - grant * 500", "true"),
				Scripts.RIGHT.withShare("redis.call('DEL', holders, tokens) -- void", ""),
				Scripts.RIGHT.withShare("if given then", "if false then"),
				Scripts.RIGHT.withShare("if lease > 0 then", "if false then"),
				Scripts.RIGHT.withShare("redis.call('HSET', tokens, '= ' .. mine, text(had) .. ' 0')", ""),
				Scripts.RIGHT.withShare("    if head then\n      serve()\n    end\n", ""),
				Scripts.RIGHT.withShare("  dequeue(mine)\nend\nserve()", "  dequeue(mine)\nend"),
				Scripts.RIGHT.withShare("    dequeue(head)\n", ""),
				Scripts.RIGHT.withRenew("tonumber(ends) > now", "true"),
				Scripts.RIGHT.withRenew("string.sub(held, 1, 2) == '* '", "true"));
		for (Scripts scripts : broken) {
			assertThatExceptionOfType(AssertionError.class).as(scripts.fault()).isThrownBy(() -> {
				Step.RARE.forEach((schedule) -> new Run(scripts, Upset.DATA_LOST).play(schedule));
				for (long seed = 0; seed < 300; seed++) {
					for (Upset upset : Upset.values()) {
						new Run(scripts, upset).play(Step.random(new Random(seed)));
					}
				}
			});
		}
	}

	@Provide
	Arbitrary<List<Step>> schedules() {
		return Combinators
			.combine(Arbitraries.of(Action.class), Arbitraries.integers().between(0, 2),
					Arbitraries.integers().between(0, 59))
			.as(Step::new)
			.list()
			.ofMinSize(5)
			.ofMaxSize(40);
	}

	/** What goes wrong with the server. */
	enum Upset {

		DATA_LOST, CLOCK_SET_BACK, BOTH

	}

	enum Action {

		ASK, ASK_WAITING, ASK_WAITING_AS_WELL, ASK_WAITING_LIKEWISE, ASK_AGAIN, ASK_AGAIN_AS_HOLDER, LEAVE,
		LEAVE_AS_WELL, LEAVE_AND_KEEP, LEAVE_THE_QUEUE, LEAVE_STALE, RENEW, RENEW_STALE, RENEW_VOID, FORCE, TAKE_ALONE,
		RELEASE_ALONE, TIME_PASSES, TIME_PASSES_SLOWLY, LOCK_EVICTED, UPSET

	}

	/**
	 * A step of a schedule.
	 *
	 * @param action what is done
	 * @param instance by whom
	 * @param amount chooses among what can be done
	 */
	record Step(Action action, int instance, int amount) {

		/**
		 * What random schedules hardly meet: the share of an instance has ended, and
		 * another one of that instance asks, for the first time since, before who waits
		 * behind it.
		 */
		static final List<Step> WAITER_OF_A_SILENT_INSTANCE_ASKS = List.of(new Step(Action.ASK, 1, 3),
				new Step(Action.ASK, 0, 3), new Step(Action.ASK_WAITING, 1, 3), new Step(Action.ASK_WAITING, 2, 3),
				new Step(Action.TIME_PASSES, 0, 2), new Step(Action.RENEW, 0, 0), new Step(Action.TIME_PASSES, 0, 2),
				new Step(Action.ASK_AGAIN, 0, 0));

		/**
		 * Likewise: the share of an instance has ended of which another caller has asked
		 * not long ago.
		 */
		static final List<Step> INSTANCE_ASKS_AND_LOSES_A_SHARE = List.of(new Step(Action.ASK, 1, 3),
				new Step(Action.ASK, 0, 3), new Step(Action.TIME_PASSES, 0, 3), new Step(Action.RENEW, 0, 0),
				new Step(Action.ASK_WAITING, 1, 3), new Step(Action.ASK_WAITING, 2, 3),
				new Step(Action.TIME_PASSES, 0, 1), new Step(Action.LEAVE_STALE, 2, 0));

		/**
		 * Likewise: a writer has died, and the first of two readers that wait asks.
		 */
		static final List<Step> READERS_BEHIND_A_WRITER_THAT_DIED = List.of(new Step(Action.ASK, 0, 1),
				new Step(Action.ASK_WAITING, 1, 0), new Step(Action.ASK_WAITING, 2, 0),
				new Step(Action.TIME_PASSES, 0, 4), new Step(Action.ASK_AGAIN, 0, 0));

		static final List<List<Step>> RARE = List.of(WAITER_OF_A_SILENT_INSTANCE_ASKS, INSTANCE_ASKS_AND_LOSES_A_SHARE,
				READERS_BEHIND_A_WRITER_THAT_DIED);

		static List<Step> random(Random random) {
			List<Step> steps = new ArrayList<>();
			for (int i = 0; i < 40; i++) {
				Action[] actions = Action.values();
				steps.add(new Step(actions[random.nextInt(actions.length)], random.nextInt(3), random.nextInt(60)));
			}
			return steps;
		}

		int limit() {
			return LIMITS[this.amount % LIMITS.length];
		}

	}

	/**
	 * The scripts as they are or with a fault.
	 */
	private record Scripts(String fault, String share, String renew, String acquire, String release) {

		static final Scripts RIGHT = new Scripts("none", ModelledScripts.timed("share.lua"),
				ModelledScripts.timed("renew-shares.lua"), ModelledScripts.timed("acquire.lua"),
				ModelledScripts.timed("release.lua"));

		Scripts withShare(String right, String wrong) {
			return new Scripts("share: " + right + " -> " + wrong, ModelledScripts.replace(this.share, right, wrong),
					this.renew, this.acquire, this.release);
		}

		Scripts withRenew(String right, String wrong) {
			return new Scripts("renew: " + right + " -> " + wrong, this.share,
					ModelledScripts.replace(this.renew, right, wrong), this.acquire, this.release);
		}

	}

	/**
	 * One schedule, on the server and in the model.
	 */
	private static final class Run {

		private final Scripts scripts;

		private final Upset upset;

		/** By the name in Redis. */
		private final Map<String, Share> holders = new TreeMap<>();

		private final Map<String, Place> queue = new TreeMap<>();

		private final Map<String, Long> seen = new TreeMap<>();

		/** What the lock does not know of any more. */
		private final Map<String, Share> voided = new TreeMap<>();

		/** The messages of this step. */
		private final List<String> messages = new ArrayList<>();

		/** Who has the whole lock. */
		private @Nullable String alone;

		private long aloneEnd;

		/** The last token since the last loss, or 0. */
		private long last;

		/** The highest token ever. */
		private long highest;

		private long now = 1_000_000_000_000_000L;

		private int handles;

		private boolean served;

		Run(Scripts scripts, Upset upset) {
			this.scripts = scripts;
			this.upset = upset;
			redis.flushAll();
		}

		void play(List<Step> schedule) {
			for (Step step : schedule) {
				this.now++;
				this.messages.clear();
				this.served = false;
				play(step);
				compare(step);
			}
		}

		private void play(Step step) {
			String instance = "ge:bus:" + step.instance();
			switch (step.action()) {
				case ASK -> ask(instance + " " + newHandle(), step.limit(), false);
				case ASK_WAITING, ASK_WAITING_AS_WELL, ASK_WAITING_LIKEWISE ->
					ask(instance + " " + newHandle(), step.limit(), true);
				case ASK_AGAIN -> {
					Place place = any(this.queue, step);
					if (place != null) {
						ask(place.name(), place.limit(), true);
					}
				}
				case ASK_AGAIN_AS_HOLDER -> {
					Share share = anyHolder(step);
					if (share != null) {
						ask(share.name(), share.limit(), true);
					}
				}
				case LEAVE, LEAVE_AS_WELL -> leave(anyHolder(step), 0);
				case LEAVE_AND_KEEP -> leave(anyHolder(step), LEASE_MILLIS);
				case LEAVE_THE_QUEUE -> {
					Place place = any(this.queue, step);
					if (place != null) {
						expectServed(share(place.name(), "leave", 1, 0), 0, () -> this.queue.remove(place.name()));
					}
				}
				case LEAVE_STALE -> expectServed(share(stale(instance, step), "leave", 1, LEASE_MILLIS), 0, () -> {
				});
				case RENEW -> renew(anyHolder(step));
				case RENEW_STALE -> assertThat(renewal(instance + " h0")).containsExactly(0L);
				case RENEW_VOID -> {
					Share share = any(this.voided, step);
					if (share != null) {
						assertThat(renewal(share.name())).containsExactly(0L);
					}
				}
				case FORCE -> force();
				case TAKE_ALONE -> takeAlone(instance, step);
				case RELEASE_ALONE -> releaseAlone();
				case TIME_PASSES -> timePasses(step.amount() % 6);
				case TIME_PASSES_SLOWLY -> timePasses(1);
				case LOCK_EVICTED -> {
					redis.primary().command("DEL", LOCK);
					this.alone = null;
					this.voided.putAll(this.holders);
					this.holders.clear();
				}
				case UPSET -> upset(step);
			}
		}

		private String newHandle() {
			return "h" + ++this.handles;
		}

		private String stale(String instance, Step step) {
			Share share = any(this.voided, step);
			return (share != null && !share.isKept()) ? share.name() : instance + " h0";
		}

		private static <T> @Nullable T any(Map<String, T> all, Step step) {
			List<T> values = List.copyOf(all.values());
			return values.isEmpty() ? null : values.get(step.amount() % values.size());
		}

		private @Nullable Share anyHolder(Step step) {
			Share share = any(this.holders, step);
			return (share == null || share.isKept()) ? null : share;
		}

		private void timePasses(int tens) {
			this.now += tens * TEN_SECONDS;
			long end = this.holders.values()
				.stream()
				.mapToLong((share) -> share.end() + GRANT_MILLIS * 1000)
				.max()
				.orElse(this.aloneEnd);
			if (end <= this.now) {
				// What the server does by itself
				redis.primary().command("DEL", LOCK);
				this.voided.putAll(this.holders);
				this.holders.clear();
				this.alone = null;
			}
			// Extensions that come too late, whether anybody has noticed the end or not
			for (Share share : this.holders.values()) {
				if (share.end() <= this.now && !share.isKept()) {
					assertThat(renewal(share.name())).containsExactly(0L);
				}
			}
		}

		private void upset(Step step) {
			if (this.upset != Upset.CLOCK_SET_BACK) {
				redis.flushAll();
				this.alone = null;
				this.voided.putAll(this.holders);
				this.holders.clear();
				this.queue.clear();
				this.last = 0;
			}
			if (this.upset != Upset.DATA_LOST) {
				long back = step.amount() % 6 * TEN_SECONDS;
				this.now -= back;
				this.aloneEnd -= back; // the TTL of the test's server does not move
			}
		}

		// The model

		private void prune(String calling) {
			this.holders.values().stream().filter((share) -> share.end() <= this.now).toList().forEach((share) -> {
				this.voided.put(share.name(), share);
				this.holders.remove(share.name());
				// Others of that instance, unless they have asked since
				this.queue.values()
					.removeIf((place) -> !place.name().equals(calling)
							&& instance(place.name()).equals(instance(share.name()))
							&& place.deadline() - PLACE_MILLIS * 1000 <= this.now - GRANT_MILLIS * 500);
			});
			this.served = true;
		}

		private boolean fits(int limit) {
			int least = this.holders.values().stream().mapToInt(Share::limit).min().orElse(UNLIMITED);
			return this.alone == null && this.holders.size() < Math.min(limit, least);
		}

		private @Nullable Place serve(@Nullable String asking, long seen) {
			for (Place place : inOrder()) {
				if (place.name().equals(asking)) {
					return place;
				}
				boolean alive = place.deadline() > this.now;
				if (alive && !fits(place.limit())) {
					return place;
				}
				this.queue.remove(place.name());
				if (alive) {
					give(place.name(), place.limit(), Math.max(seen, place.seen()), GRANT_MILLIS);
					this.messages.add(place.name().replace(" ", " lock.share ") + " " + LOCK);
				}
			}
			return null;
		}

		private long give(String name, int limit, long seen, long millis) {
			long token = nextToken(name, seen);
			this.voided.remove(name);
			this.holders.put(name, new Share(name, limit, token, this.now + millis * 1000));
			return token;
		}

		private long nextToken(String name, long seen) {
			long token = Math.max(Math.max((this.last > 0) ? this.last + 1 : this.now + 512, seen + 1), this.now);
			assertThat(token).as("tokens rise").isGreaterThan((this.upset == Upset.BOTH) ? seen(name) : this.highest);
			this.last = token;
			this.highest = token;
			this.seen.put(instance(name), token);
			return token;
		}

		private long seen(String name) {
			return this.seen.getOrDefault(instance(name), 0L);
		}

		private static String instance(String name) {
			return name.substring(0, name.indexOf(' '));
		}

		private void ask(String name, int limit, boolean waits) {
			long seen = seen(name);
			List<Object> reply = share(name, waits ? "wait" : "try", limit, LEASE_MILLIS);
			prune(name);
			Share mine = this.holders.get(name);
			if (mine != null) {
				this.holders.put(name, mine.until(this.now + LEASE_MILLIS * 1000));
				serve(null, seen);
				assertThat(reply).containsExactly(1L, "" + mine.token());
				return;
			}
			Place head = serve(name, seen);
			if ((head == null || head.name().equals(name)) && fits(limit)) {
				this.queue.remove(name);
				long token = give(name, limit, seen, LEASE_MILLIS);
				serve(null, seen);
				assertThat(reply).containsExactly(1L, "" + token);
				return;
			}
			if (waits) {
				Place before = this.queue.get(name);
				long youngest = this.queue.values().stream().mapToLong(Place::arrival).max().orElse(0);
				this.queue.put(name,
						new Place(name, (before != null) ? before.arrival() : Math.max(this.now, youngest + 1),
								this.now + PLACE_MILLIS * 1000, limit, seen));
			}
			assertThat(reply.get(0)).isEqualTo(0L);
			if (this.alone == null) {
				long first = this.holders.values().stream().mapToLong(Share::end).min().orElseThrow();
				assertThat(reply.get(1)).isEqualTo((first - this.now + 999) / 1000);
			}
		}

		private void leave(@Nullable Share share, long keep) {
			if (share == null) {
				return;
			}
			boolean over = share.end() <= this.now;
			expectServed(share(share.name(), "leave", 1, keep), over ? 0 : 1, () -> {
				if (!over) {
					this.holders.remove(share.name());
					if (keep > 0) {
						String kept = "= " + share.name();
						this.holders.put(kept, new Share(kept, share.limit(), 0, this.now + keep * 1000));
					}
				}
			});
		}

		private void expectServed(List<Object> reply, long ended, Runnable change) {
			prune(this.lastCaller);
			change.run();
			serve(null, this.lastSeen);
			assertThat(reply).containsExactly(ended);
		}

		private void force() {
			List<Object> reply = share("ge:bus:0 -", "force", 1, 0);
			prune("");
			List<Share> all = this.holders.values()
				.stream()
				.sorted(Comparator.comparingLong(Share::end).thenComparing(Share::name))
				.toList();
			for (Share share : all) {
				this.holders.remove(share.name());
				this.voided.put(share.name(), share);
				if (!share.isKept()) {
					this.messages.add(share.name().replace(" ", " lock.lost ") + " " + LOCK);
				}
			}
			serve(null, this.lastSeen);
			assertThat(reply).containsExactly((long) all.size());
		}

		private void renew(@Nullable Share share) {
			if (share != null) {
				boolean over = share.end() <= this.now;
				assertThat(renewal(share.name())).containsExactly(over ? 0L : 1L);
				if (!over) {
					this.holders.put(share.name(), share.until(this.now + LEASE_MILLIS * 1000));
				}
			}
		}

		private void takeAlone(String instance, Step step) {
			boolean waits = step.amount() % 2 == 0;
			String handle = newHandle();
			List<Object> reply = ModelledScripts.eval(redis, this.scripts.acquire(), EXCLUSIVE_KEYS, instance, handle,
					LEASE_MILLIS, seen(instance + " "), waits ? PLACE_MILLIS : 0, 86_400_000, 1, this.now);
			if (this.alone != null || !this.holders.isEmpty()) {
				assertThat(reply.get(0)).isEqualTo(0L);
				redis.primary().command("DEL", EXCLUSIVE_KEYS.get(2), EXCLUSIVE_KEYS.get(3));
				return;
			}
			long token = nextToken(instance + " ", seen(instance + " "));
			assertThat(reply).containsExactly(1L, "" + token, "" + token);
			this.alone = instance + " " + handle + " " + token + " " + token;
			this.aloneEnd = this.now + LEASE_MILLIS * 1000;
		}

		private void releaseAlone() {
			String[] words = (this.alone != null) ? this.alone.split(" ") : new String[] { "ge:bus:0", "h0" };
			assertThat(ModelledScripts.eval(redis, this.scripts.release(), EXCLUSIVE_KEYS, words[0], words[1], 900_000,
					0, "", 0, 1, 900_000, PLACE_MILLIS, 86_400_000, 0, 0, this.now))
				.containsExactly((this.alone != null) ? 1L : 0L);
			this.alone = null;
		}

		// The server

		/** The token that was named in the last call, and by whom. */
		private long lastSeen;

		private String lastCaller = "";

		private List<Object> share(String name, String wish, int limit, long lease) {
			this.lastSeen = seen(name);
			this.lastCaller = name;
			return ModelledScripts.eval(redis, this.scripts.share(), KEYS, instance(name),
					name.substring(name.indexOf(' ') + 1), wish, limit, lease, PLACE_MILLIS, this.lastSeen,
					GRANT_MILLIS, 86_400_000, this.now);
		}

		private List<Object> renewal(String name) {
			return ModelledScripts.eval(redis, this.scripts.renew(), List.of(KEYS.get(0), KEYS.get(2), KEYS.get(3)),
					instance(name), name.substring(name.indexOf(' ') + 1), LEASE_MILLIS, this.now);
		}

		private List<Place> inOrder() {
			return this.queue.values().stream().sorted(Place.ORDER).toList();
		}

		private void compare(Step step) {
			int least = this.holders.values().stream().mapToInt(Share::limit).min().orElse(UNLIMITED);
			assertThat(this.holders.size()).as("no more than the smallest limit").isLessThanOrEqualTo(least);
			assertThat(ModelledScripts.messages(redis)).as("messages after %s", step).isEqualTo(this.messages);
			Object held = redis.primary().command("GET", LOCK);
			if (this.holders.isEmpty()) {
				assertThat(held).as("lock after %s", step).isEqualTo(this.alone);
			}
			else if (this.served) {
				assertThat(held).as("lock after %s", step).isEqualTo("* " + least);
				List<Object> scored = new ArrayList<>();
				List<Object> tokens = new ArrayList<>();
				this.holders.values()
					.stream()
					.sorted(Comparator.comparingLong(Share::end).thenComparing(Share::name))
					.forEach((share) -> {
						scored.add(share.name());
						scored.add("" + share.end());
						tokens.add(share.limit() + " " + share.token());
					});
				assertThat(redis.primary().command("ZRANGE", KEYS.get(2), "0", "-1", "WITHSCORES"))
					.as("holders after %s", step)
					.isEqualTo(scored);
				for (int i = 0; i < tokens.size(); i++) {
					assertThat(redis.primary().command("HGET", KEYS.get(3), scored.get(2 * i).toString()))
						.as("token after %s", step)
						.isEqualTo(tokens.get(i));
				}
				assertThat(redis.primary().command("HLEN", KEYS.get(3))).isEqualTo((long) tokens.size());
				Place head = inOrder().isEmpty() ? null : inOrder().get(0);
				assertThat(head == null || head.deadline() <= this.now || !fits(head.limit())).as("all are served")
					.isTrue();
			}
			assertThat(redis.primary().command("ZRANGE", KEYS.get(4), "0", "-1")).as("queue after %s", step)
				.isEqualTo(inOrder().stream().map(Place::name).toList());
			assertThat(redis.primary().command("HLEN", KEYS.get(5))).isEqualTo((long) this.queue.size());
			assertThat(redis.keysWithoutTtl()).isEmpty();
		}

	}

	/**
	 * A share that somebody has, or whose place is kept.
	 */
	private record Share(String name, int limit, long token, long end) {

		boolean isKept() {
			return this.name.startsWith("= ");
		}

		Share until(long later) {
			return new Share(this.name, this.limit, this.token, later);
		}

	}

	/**
	 * Where somebody stands in the queue.
	 */
	private record Place(String name, long arrival, long deadline, int limit, long seen) {

		static final Comparator<Place> ORDER = Comparator.comparingLong(Place::arrival).thenComparing(Place::name);

	}

}
