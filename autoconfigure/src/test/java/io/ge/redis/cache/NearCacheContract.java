// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.cache.CacheEvent.Access;
import io.ge.redis.cache.CacheEvent.Tier;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.test.ClusterRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that keep values in memory, and nothing that goes wrong. Values may be an
 * hour old: so what is current is current by messages.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class NearCacheContract {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final long FOREVER = Duration.ofDays(1000).toNanos();

	/** Of one cache: long enough for a value to come from memory before. */
	private static final Duration TTL = Duration.ofSeconds(Wide.RUN ? 10 : 3);

	private static final int MANY = Wide.RUN ? 100 : 20;

	private static final Supplier<String> FAILING = () -> {
		throw new IllegalStateException("no database");
	};

	private RedisFixture redis;

	private CacheApplication one;

	private CacheApplication two;

	/** Keeps nothing and tells the others. */
	private CacheApplication writer;

	private final AtomicInteger numbers = new AtomicInteger();

	@BeforeAll
	void start(RedisFixture redis) {
		this.redis = redis;
		this.one = CacheApplication.start(redis.properties(), properties("near.max-entries=1000")).connected();
		this.two = instance(properties("near.max-entries=1000"));
		this.writer = instance(properties("near.max-entries=0"));
		// A first look after everything was flushed would make all entries outdated
		for (CacheApplication application : List.of(this.one, this.two, this.writer)) {
			application.balances().find("nobody");
			application.balances().findOptional("nobody");
			application.balances().findGrouped("nobody", "g");
			List.of("words", "far", "slow")
				.forEach((cache) -> application.caches().get(cache, "nothing", String.class, () -> null));
		}
	}

	private static String[] properties(String memory) {
		return new String[] { "ge.redis.cache.near.enabled=true", "ge.redis.cache.near.ttl=10m",
				"ge.redis.cache." + memory, "ge.redis.cache.caches.far.near.enabled=false",
				"ge.redis.cache.caches.slow.ttl=" + TTL.toMillis() + "ms", "ge.redis.cache.ttl-jitter=0",
				"ge.redis.cache.max-staleness=1h" };
	}

	private CacheApplication instance(String... properties) {
		return CacheApplication
			.start(CacheApplication.Configuration.class, this.redis.properties(), this.one.database(), properties)
			.connected();
	}

	@AfterAll
	void stop() {
		this.writer.close();
		this.two.close();
		this.one.close();
	}

	@BeforeEach
	void prepare() {
		this.one.events().takeEvents();
		this.two.events().takeEvents();
	}

	private String newId() {
		return "id" + this.numbers.incrementAndGet();
	}

	private static int nearHits(CacheApplication application) {
		return (int) application.events().takeEvents().stream().filter(NearCacheContract::isNearHit).count();
	}

	private static boolean isNearHit(GuardEvent event) {
		return event instanceof CacheEvent.Read read && read.access() == Access.HIT && read.tier() == Tier.NEAR;
	}

	/**
	 * Reads until the value comes from memory, and what is read is always the same.
	 */
	private static <T> void awaitNear(CacheApplication application, Supplier<T> read, @Nullable T expected) {
		Awaitility.await().atMost(PATIENCE).until(() -> {
			application.events().takeEvents();
			assertThat(read.get()).isEqualTo(expected);
			return nearHits(application) == 1;
		});
	}

	private static Supplier<String> reading(CacheApplication application, String cache, String key) {
		return () -> application.caches().get(cache, key, String.class, FAILING);
	}

	private void fill(String cache, String key, String value) {
		this.one.caches().get(cache, key, String.class, () -> value);
	}

	// What is read

	@Test
	void hitCostsNoCommand() {
		String id = newId();
		fill("words", id, "one");
		Supplier<String> read = reading(this.one, "words", id);
		Awaitility.await().atMost(PATIENCE).until(() -> {
			awaitNear(this.one, read, "one");
			this.redis.configResetStat();
			for (int i = 0; i < 100; i++) {
				assertThat(read.get()).isEqualTo("one");
			}
			long calls = this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval")
					+ this.redis.commandCalls("get");
			return nearHits(this.one) == 100 && calls == 0;
		});
	}

	@Test
	void hitThroughAnAnnotationReturnsTheSameObjectToAll() {
		String id = newId();
		Balances balances = this.one.balances();
		balances.insert(id, "7");
		Balance loaded = balances.find(id);
		awaitNear(this.one, () -> balances.find(id), loaded);
		Balance first = balances.find(id);
		assertThat(first).isEqualTo(loaded).isNotSameAs(loaded);
		assertThat(balances.find(id)).isSameAs(first);
	}

	@Test
	void absenceIsKeptAsWell() {
		String id = newId();
		Balances balances = this.one.balances();
		awaitNear(this.one, () -> balances.find(id), null);
		awaitNear(this.one, () -> balances.findOptional(id), Optional.empty());
		this.writer.balances().insert(id, "3");
		this.writer.balances().add(id, "1");
		Awaitility.await().atMost(PATIENCE).until(() -> balances.find(id) != null);
	}

	@Test
	void cacheThatIsNotToBeKeptIsNot() {
		String id = newId();
		fill("far", id, "one");
		for (int i = 0; i < 5; i++) {
			assertThat(reading(this.one, "far", id).get()).isEqualTo("one");
		}
		assertThat(nearHits(this.one)).isZero();
	}

	@Test
	void instanceWithoutRoomKeepsNothing() {
		String id = newId();
		fill("words", id, "one");
		awaitNear(this.one, reading(this.one, "words", id), "one");
		this.writer.events().takeEvents();
		for (int i = 0; i < 5; i++) {
			assertThat(this.writer.caches().get("words", id, String.class, () -> "one")).isEqualTo("one");
		}
		assertThat(nearHits(this.writer)).isZero();
		assertThat(System.nanoTime() - confirmedAt(this.writer)).as("messages to itself").isGreaterThan(FOREVER);
	}

	private static long confirmedAt(CacheApplication application) {
		return application.bean(RedisBackends.class).get(null).bus().confirmedAt();
	}

	@Test
	@Wide
	void messagesEndWhenNothingIsReadAnyLonger() {
		String id = newId();
		fill("words", id, "one");
		try (CacheApplication other = instance("ge.redis.cache.near.enabled=true", "ge.redis.cache.near.ttl=1s")) {
			// It may just have begun to connect
			awaitNear(other, () -> other.caches().get("words", id, String.class, () -> "one"), "one");
			assertThat(System.nanoTime() - confirmedAt(other)).isLessThan(FOREVER);
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> System.nanoTime() - confirmedAt(other) > Duration.ofSeconds(5).toNanos());
		}
	}

	@Test
	void writeCostsTwoCalls() {
		String id = newId();
		fill("words", id, "old");
		awaitNear(this.one, reading(this.one, "words", id), "old");
		this.writer.caches().write("words", id, () -> "new");
		Awaitility.await().atMost(PATIENCE).until(() -> "new".equals(reading(this.one, "words", id).get()));
		awaitNear(this.one, reading(this.one, "words", id), "new");
		Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
			this.redis.configResetStat();
			this.writer.caches().write("words", id, () -> "newer");
			assertThat(this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval")).isEqualTo(2);
		});
	}

	@Test
	void keysThatAreNoUtf8AreToldAsTheyAre() {
		for (String odd : List.of("a\uD800b", "a\uDC00b", "a\uDC00\uD800b", "a%ud800b")) {
			String key = newId() + odd;
			fill("words", key, "old");
			awaitNear(this.one, reading(this.one, "words", key), "old");
			this.two.caches().evict("words", key);
			this.two.caches().get("words", key, String.class, () -> "new");
			Awaitility.await().atMost(PATIENCE).until(() -> "new".equals(reading(this.one, "words", key).get()));
		}
	}

	@Test
	void longKeyIsNotKept() {
		String key = newId() + "x".repeat(CacheKey.MOST_PUBLISHED);
		fill("words", key, "old");
		for (int i = 0; i < 5; i++) {
			assertThat(reading(this.one, "words", key).get()).isEqualTo("old");
		}
		assertThat(nearHits(this.one)).isZero();
		this.two.caches().put("words", key, "new");
		assertThat(this.one.caches().get("words", key, String.class, () -> "new")).isEqualTo("new");
	}

	@Test
	@Sized
	void valueIsNotServedBeyondItsExpiry() {
		String id = newId();
		// From here on messages arrive
		fill("words", id, "one");
		awaitNear(this.one, reading(this.one, "words", id), "one");
		long filled = System.nanoTime();
		fill("slow", id, "one");
		long stored = System.nanoTime();
		awaitNear(this.one, reading(this.one, "slow", id), "one");
		Awaitility.await().atMost(PATIENCE).until(() -> {
			long asked = System.nanoTime();
			String value = this.one.caches().get("slow", id, String.class, () -> "two");
			long returned = System.nanoTime();
			if (value.equals("two")) {
				assertThat(Duration.ofNanos(returned - filled)).as("not lost before")
					.isGreaterThan(TTL.minusSeconds(1));
				return true;
			}
			assertThat(Duration.ofNanos(asked - stored)).isLessThan(TTL.plusSeconds(1));
			return false;
		});
	}

	@Test
	void severalAreTakenFromMemoryAndTheRestFromRedis() {
		List<String> ids = List.of(newId(), newId(), newId());
		fill("words", ids.get(0), "one");
		fill("words", ids.get(1), "two");
		Supplier<Map<String, String>> read = () -> this.one.caches()
			.getAll("words", ids, String.class, (missing) -> Map.of(ids.get(2), "three"));
		Map<String, String> expected = Map.of(ids.get(0), "one", ids.get(1), "two", ids.get(2), "three");
		Awaitility.await().atMost(PATIENCE).until(() -> {
			this.one.events().takeEvents();
			assertThat(read.get()).isEqualTo(expected);
			return nearHits(this.one) == 3;
		});
		this.writer.caches().evict("words", ids.get(1));
		this.writer.caches().get("words", ids.get(1), String.class, () -> "new");
		Awaitility.await().atMost(PATIENCE).until(() -> "new".equals(read.get().get(ids.get(1))));
		assertThat(read.get()).containsEntry(ids.get(0), "one").containsEntry(ids.get(2), "three");
	}

	@Test
	@Wide
	void valueNearItsExpiryIsAskedForUntilItIsReplaced() {
		String id = newId();
		fill("words", id, "old");
		bringNearExpiry(id);
		AtomicBoolean loadable = new AtomicBoolean();
		Supplier<String> read = () -> this.one.caches().get("words", id, String.class, () -> {
			if (!loadable.get()) {
				throw new IllegalStateException("no database");
			}
			return "new";
		});
		awaitNear(this.one, read, "old");
		loadable.set(true);
		Awaitility.await().atMost(PATIENCE).until(() -> "new".equals(read.get()));
	}

	@Test
	void valueThatIsReplacedBeforeItsExpiryReachesAll() {
		String id = newId();
		fill("words", id, "old");
		awaitNear(this.two, reading(this.two, "words", id), "old");
		bringNearExpiry(id);
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> "new".equals(this.one.caches().get("words", id, String.class, () -> "new")));
		Awaitility.await().atMost(PATIENCE).until(() -> "new".equals(reading(this.two, "words", id).get()));
	}

	/**
	 * Not a minute before its expiry, of a value that takes half a minute to load: every
	 * reader who asks would replace it.
	 */
	private void bringNearExpiry(String id) {
		String key = "ge:cache:{words:" + id + "}:e1";
		RedisEndpoint server = (this.redis instanceof ClusterRedis cluster) ? cluster.primaryFor(key)
				: this.redis.endpoints().stream().filter(RedisEndpoint::isPrimary).findFirst().orElseThrow();
		server.command("SETRANGE", key, "6", "\0\0u0");
		server.command("PEXPIRE", key, "59000");
	}

	// What changes

	@Test
	void changeByAnotherInstanceIsSeen() {
		String id = newId();
		this.one.balances().insert(id, "100");
		Supplier<BigDecimal> amount = () -> this.one.balances().find(id).amount();
		this.one.balances().find(id);
		for (int i = 1; i <= 5; i++) {
			awaitNear(this.one, amount, new BigDecimal(99 + i + ".00"));
			CacheApplication changing = (i % 2 == 0) ? this.two : this.writer;
			changing.balances().add(id, "1");
			assertThat(changing.balances().find(id).amount()).isEqualTo(new BigDecimal(100 + i + ".00"));
			BigDecimal next = new BigDecimal(100 + i + ".00");
			Awaitility.await().atMost(PATIENCE).until(() -> amount.get().equals(next));
		}
	}

	@Test
	void whateverChangesAnEntryIsSeenByOthersAndAtOnceByItself() {
		List<Change> changes = List.of(new Change("words", (caches, key) -> caches.put("words", key, "new")),
				new Change("words", (caches, key) -> caches.evict("words", key)),
				new Change("words", (caches, key) -> caches.write("words", key, () -> "new")),
				new Change("words", (caches, key) -> caches.clear("words")),
				new Change("words",
						(caches, key) -> this.two.transaction()
							.executeWithoutResult((status) -> caches.put("words", key, "new"))),
				new Change("words", (caches, key) -> this.two.transaction()
					.executeWithoutResult((status) -> caches.evict("words", key))));
		for (int i = 0; i < changes.size(); i++) {
			Change change = changes.get(i);
			String key = newId() + ":{ü} \n" + i;
			fill(change.cache, key, "old");
			awaitNear(this.one, reading(this.one, change.cache, key), "old");
			awaitNear(this.two, reading(this.two, change.cache, key), "old");
			change.how.make(this.two.caches(), key);
			assertThat(this.two.caches().get(change.cache, key, String.class, () -> "new")).as("change %s", i)
				.isEqualTo("new");
			Awaitility.await("change " + i)
				.atMost(PATIENCE)
				.until(() -> this.one.caches().get(change.cache, key, String.class, () -> "new").equals("new"));
		}
	}

	@Test
	void tagsAreSeenByOthersAndAtOnceByTheInstance() {
		String id = newId();
		this.one.balances().insert(id, "1");
		List<Supplier<Balance>> reads = List.of(() -> this.one.balances().findGrouped(id, "g"),
				() -> this.two.balances().findGrouped(id, "g"));
		// The first after everything was flushed makes all entries outdated
		this.two.caches().invalidateTags("grouped", "none");
		Balance old = reads.get(0).get();
		awaitNear(this.one, reads.get(0), old);
		awaitNear(this.two, reads.get(1), old);
		this.two.balances().addOutsideOfCache(id, "1");
		this.two.caches().invalidateTags("grouped", "other");
		assertThat(reads.get(1).get()).isEqualTo(old);
		this.two.caches().invalidateTags("grouped", "g");
		assertThat(reads.get(1).get().amount()).isEqualTo(new BigDecimal("2.00"));
		Awaitility.await().atMost(PATIENCE).until(() -> !reads.get(0).get().equals(old));
	}

	@Test
	void transactionReadsWhatItHasWrittenAndOthersWhatStands() {
		String id = newId();
		Balances balances = this.one.balances();
		balances.insert(id, "1");
		Balance old = balances.find(id);
		awaitNear(this.one, () -> balances.find(id), old);
		List<Balance> seen = new ArrayList<>();
		this.one.transaction().executeWithoutResult((status) -> {
			seen.add(balances.find(id));
			balances.addInCallersTransaction(id, "1");
			seen.add(balances.find(id));
			status.setRollbackOnly();
		});
		assertThat(seen.get(0)).isEqualTo(old);
		assertThat(seen.get(1).amount()).isEqualTo(new BigDecimal("2.00"));
		assertThat(balances.find(id)).isEqualTo(old);
	}

	@Test
	void writerReadsWhatItHasWritten() {
		String id = newId();
		fill("words", id, "old");
		awaitNear(this.one, reading(this.one, "words", id), "old");
		this.one.caches().write("words", id, () -> {
			assertThat(this.one.caches().get("words", id, String.class, () -> "new")).isEqualTo("new");
			return "new";
		});
		assertThat(reading(this.one, "words", id).get()).isEqualTo("new");
	}

	@Test
	@Sized
	void manyChangesAreNeverMissed() {
		String id = newId();
		this.one.balances().insert(id, "0");
		for (int i = 1; i <= MANY; i++) {
			CacheApplication changing = (i % 2 == 0) ? this.one : this.two;
			CacheApplication reading = (i % 2 == 0) ? this.two : this.one;
			reading.balances().find(id);
			changing.balances().find(id);
			changing.balances().add(id, "1");
			BigDecimal expected = new BigDecimal(i + ".00");
			assertThat(changing.balances().find(id).amount()).isEqualTo(expected);
			Awaitility.await()
				.pollInterval(Duration.ofMillis(1))
				.pollDelay(Duration.ZERO)
				.atMost(PATIENCE)
				.until(() -> reading.balances().find(id).amount().equals(expected));
		}
	}

	/**
	 * A change.
	 *
	 * @param cache in which cache
	 * @param how what is called
	 */
	private record Change(String cache, How how) {
	}

	private interface How {

		void make(GeCaches caches, String key);

	}

}
