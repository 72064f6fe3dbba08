// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.internal.CacheSettings;
import io.ge.redis.cache.internal.RedisCache;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import org.awaitility.Awaitility;
import org.hibernate.collection.spi.PersistentBag;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Values near their expiry and beyond it, large ones, and those that have none.
 */
@OnRedis
class CacheReadingIntegrationTests {

	private static final Supplier<String> FAILING = () -> {
		throw new IllegalStateException("no database");
	};

	private static CacheApplication application;

	private static RedisEndpoint server;

	private final AtomicInteger loads = new AtomicInteger();

	private GeCaches caches;

	private RedisFixture redis;

	@BeforeAll
	static void start(RedisFixture redis) {
		server = redis.endpoints().get(0);
		application = CacheApplication
			.start(redis.properties(), "ge.redis.verify-round-trip=1", "ge.redis.cache.compress-above=200B",
					"ge.redis.cache.max-value-size=1KB", "ge.redis.cache.lease-time=1m",
					"ge.redis.cache.caches.off.early-refresh.mode=off", "ge.redis.cache.caches.kept.ttl=1m",
					"ge.redis.cache.caches.kept.stale-if-error=1h", "ge.redis.cache.caches.late.ttl=1m",
					"ge.redis.cache.caches.late.stale-if-error=1h", "ge.redis.cache.caches.late.load-wait=50ms",
					"ge.redis.cache.caches.late.on-load-timeout=stale", "ge.redis.cache.caches.waiting.ttl=1m",
					"ge.redis.cache.caches.waiting.stale-if-error=1h", "ge.redis.cache.caches.waiting.load-wait=50ms",
					"ge.redis.cache.caches.failing.load-wait=50ms",
					"ge.redis.cache.caches.failing.on-load-timeout=fail", "ge.redis.cache.caches.hurried.load-wait=0s",
					"ge.redis.cache.caches.hurried.on-load-timeout=fail", "ge.redis.cache.caches.spread.ttl=1000s",
					"ge.redis.cache.caches.spread.ttl-jitter=0.5", "ge.redis.cache.caches.eternal.permanent=true")
			.connected();
		application.balances().insert("a", "100");
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void prepare(RedisFixture redis) {
		this.redis = redis;
		this.caches = application.caches();
		application.events().takeResults();
		application.balances().loads().set(0);
	}

	private @Nullable String get(String cache, Supplier<String> loader) {
		return this.caches.get(cache, "a", String.class, loader);
	}

	private Supplier<String> loading(String value) {
		return () -> {
			this.loads.incrementAndGet();
			return value;
		};
	}

	private static String key(String cache, String part) {
		return "ge:cache:{" + cache + ":a}:" + part;
	}

	private static long ttl(String key) {
		return (Long) server.command("PTTL", key);
	}

	/**
	 * Half a minute before its expiry, of a value that takes half a minute to load.
	 */
	private static void bringNearExpiry(String cache) {
		server.command("SETRANGE", key(cache, "e1"), "6", "\0\0u0");
		CacheContract.expireIn(server, key(cache, "e1"), 30_000);
	}

	private static void bringBeyondExpiry(String cache) {
		CacheContract.expireIn(server, key(cache, "e1"), 1_800_000);
	}

	// Early refresh

	@Test
	void writerWhoseValueFailsWithAnErrorIsOver() {
		assertThatExceptionOfType(NoClassDefFoundError.class)
			.isThrownBy(() -> this.caches.write("broken", "a", Broken::new));
		this.caches.write("broken", "a", () -> "written");
		assertThat(application.events().takeResults()).containsExactly("invalidated", "published");
		assertThat(get("broken", FAILING)).isEqualTo("written");
	}

	@Test
	void valueNearItsExpiryIsReplacedByItsReader() {
		get("soon", loading("one"));
		bringNearExpiry("soon");
		AtomicReference<Thread> thread = new AtomicReference<>();
		assertThat(get("soon", () -> {
			thread.set(Thread.currentThread());
			return "two";
		})).isEqualTo("two");
		assertThat(thread).hasValue(Thread.currentThread());
		assertThat(get("soon", loading("three"))).isEqualTo("two");
		assertThat(ttl(key("soon", "e1"))).isGreaterThan(60_000);
		assertThat(ttl(key("soon", "r1"))).as("the leave to refresh").isEqualTo(-2);
		assertThat(application.events().takeResults()).containsExactly("miss", "loaded", "hit", "loaded", "hit");
	}

	@Test
	void hitIsAGet() {
		get("soon", loading("one"));
		this.redis.configResetStat();
		get("soon", loading("two"));
		assertThat(this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval")).isZero();
		assertThat(this.redis.commandCalls("get")).isEqualTo(1);
	}

	@Test
	void refreshCostsTwoCalls() {
		get("soon", loading("one"));
		bringNearExpiry("soon");
		this.redis.configResetStat();
		get("soon", loading("two"));
		assertThat(this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval")).isEqualTo(2);
	}

	@Test
	void methodIsRepeatedBeforeItsValueExpires() {
		application.balances().find("a");
		bringNearExpiry("balances");
		application.transaction().executeWithoutResult((status) -> application.balances().addOutsideOfCache("a", "1"));
		assertThat(application.balances().find("a")).isEqualTo(application.balances().stored("a"));
		assertThat(application.balances().loads()).hasValue(2);
	}

	@Test
	void refreshedValueHasTheTagsToo() {
		StringBuilder group = new StringBuilder("g");
		Balance old = application.balances().findTagged("a", group);
		bringNearExpiry("tagged");
		application.balances().addOutsideOfCache("a", "1");
		assertThat(application.balances().findTagged("a", group)).isNotEqualTo(old);
		assertThat(application.balances().loads()).hasValue(2);
		this.caches.invalidateTags("tagged", "g");
		application.balances().findTagged("a", group);
		assertThat(application.balances().loads()).hasValue(3);
	}

	@Test
	void onlyOneRefreshesAndNobodyWaitsForIt() {
		get("soon", loading("one"));
		bringNearExpiry("soon");
		CountDownLatch release = new CountDownLatch(1);
		Supplier<String> slow = () -> {
			this.loads.incrementAndGet();
			CacheContract.await(release);
			return "two";
		};
		CompletableFuture<String> refreshing = CompletableFuture.supplyAsync(() -> get("soon", slow));
		Awaitility.await().until(() -> this.loads.get() == 2);
		for (int i = 0; i < 20; i++) {
			assertThat(get("soon", slow)).isEqualTo("one");
		}
		release.countDown();
		assertThat(refreshing.join()).isEqualTo("two");
		assertThat(get("soon", slow)).isEqualTo("two");
		assertThat(this.loads).hasValue(2);
	}

	@Test
	void whatAWriterPublishesIsNotOverwrittenByARefresh() {
		application.balances().find("a");
		bringNearExpiry("balances");
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		application.balances().whileLoading(() -> {
			application.balances().whileLoading(() -> {
			});
			loading.countDown();
			CacheContract.await(release);
		});
		CompletableFuture<?> refreshing = CompletableFuture.supplyAsync(() -> application.balances().find("a"));
		CacheContract.await(loading);
		Balance written = application.balances().add("a", "1");
		application.events().takeResults();
		release.countDown();
		refreshing.join();
		assertThat(application.balances().find("a")).isEqualTo(written);
		assertThat(ttl(key("balances", "r1"))).isEqualTo(-2);
	}

	/**
	 * Fails to load until the failure is seen, which is for a second, and prolongs it.
	 */
	private void awaitRest(String cache) {
		Awaitility.await().until(() -> {
			assertThat(get(cache, FAILING)).isEqualTo("one");
			boolean resting = "F".equals(String.valueOf(server.command("GET", key(cache, "r1"))));
			return resting && ttl(key(cache, "r1")) <= 1000
					&& (Long) server.command("PEXPIRE", key(cache, "r1"), "60000") == 1;
		});
	}

	@Test
	void failedRefreshIsNotRepeatedForAWhile() {
		get("soon", loading("one"));
		bringNearExpiry("soon");
		awaitRest("soon");
		assertThat(get("soon", loading("two"))).isEqualTo("one");
		assertThat(this.loads).hasValue(1);
		assertThat(application.events().takeResults()).contains("load_failed").doesNotContain("stale");
	}

	@Test
	void failureThatOutlastsItsLeaseIsNotRepeatedForAWhile() {
		get("kept", loading("one"));
		bringBeyondExpiry("kept");
		Awaitility.await().until(() -> {
			assertThat(get("kept", () -> {
				server.command("DEL", key("kept", "r1"));
				throw new IllegalStateException("no database");
			})).isEqualTo("one");
			return "F".equals(String.valueOf(server.command("GET", key("kept", "r1"))));
		});
	}

	@Test
	void whoHasNoUseForWhatIsKeptLoadsRightAfterAFailure() {
		get("soon", loading("one"));
		server.command("SETRANGE", key("soon", "e1"), "10", "\0\0u0");
		CacheContract.expireIn(server, key("soon", "e1"), 20_000);
		server.command("SET", key("soon", "r1"), "F", "PX", "60000");
		assertThat(get("soon", loading("two"))).isEqualTo("two");
	}

	@Test
	void transactionOfTheCallerRefreshesNothing() {
		get("soon", loading("one"));
		bringNearExpiry("soon");
		application.transaction()
			.executeWithoutResult((status) -> assertThat(get("soon", loading("two"))).isEqualTo("one"));
		assertThat(ttl(key("soon", "r1"))).isEqualTo(-2);
		assertThat(this.loads).hasValue(1);
	}

	@Test
	void refreshIsSwitchedOffForACache() {
		get("off", loading("one"));
		bringNearExpiry("off");
		assertThat(get("off", loading("two"))).isEqualTo("one");
		assertThat(ttl(key("off", "r1"))).isEqualTo(-2);
	}

	/**
	 * Nobody has registered it with the context propagation.
	 */
	@Test
	void refreshSeesWhatIsBoundToTheThreadOfItsCaller() {
		ThreadLocal<String> tenant = ThreadLocal.withInitial(() -> "none");
		get("soon", loading("one"));
		bringNearExpiry("soon");
		tenant.set("acme");
		assertThat(get("soon", tenant::get)).isEqualTo("acme");
		assertThat(get("soon", loading("three"))).isEqualTo("acme");
	}

	@Test
	void leaseIsGivenBackIfThereIsNoTimeLeftToFill() {
		RedisBackend backend = application.bean(RedisBackends.class).get(null);
		RedisCache cache = new RedisCache(backend.redis("cache"), backend.keys("cache"), backend.bus(),
				Duration.ofMinutes(1), (name) -> false, (name) -> false);
		CacheSettings settings = new CacheSettings(Duration.ofMinutes(1), false, Duration.ZERO, 0, Duration.ZERO,
				Duration.ofMinutes(1), Duration.ZERO, OnLoadTimeout.LOAD, 0);
		CacheKey key = new CacheKey("overdue", List.of("a"));
		CallBudget spent = CallBudget.of(Duration.ofSeconds(1));
		spent.spend(Duration.ofSeconds(1).toNanos());
		server.command("SET", key("overdue", "e1"), "Lone", "PX", "60000");
		assertThat(cache.fill(key, "one", "", settings.leaseTime(), new byte[1], settings.ttl(), -1, spent))
			.failsWithin(Duration.ofSeconds(5));
		Awaitility.await().until(() -> ttl(key("overdue", "e1")) == -2);
		server.command("SET", key("overdue", "e1"), "Ltwo", "PX", "60000");
		assertThat(cache
			.fillAll(List.of(new RedisCache.Filling(key, "two", new byte[1], settings.ttl())), settings.leaseTime(), -1,
					spent)
			.join()).containsExactly(false);
		Awaitility.await().until(() -> ttl(key("overdue", "e1")) == -2);
	}

	@Test
	void valueOfAWriterHasTheLoadTimeOfItsCache() {
		this.caches.get("published", "b", String.class, loading("loaded"));
		this.caches.write("published", "a", () -> "written");
		this.caches.write("never-loaded", "a", () -> "written");
		assertThat(loadTime("published")).isNotEqualTo("\0\0\0\0");
		assertThat(loadTime("never-loaded")).isEqualTo("\0\0\0\0");
	}

	private static String loadTime(String cache) {
		return String.valueOf(server.command("GETRANGE", key(cache, "e1"), "6", "9"));
	}

	/** Opens after a time, which stands for work. */
	static CountDownLatch passing(int millis) {
		CountDownLatch latch = new CountDownLatch(1);
		CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(latch::countDown);
		return latch;
	}

	// Beyond the expiry

	@Test
	void valueIsKeptBeyondItsExpiryForAnError() {
		get("kept", loading("one"));
		assertThat(ttl(key("kept", "e1"))).isBetween(3_600_000L, 3_660_000L);
		bringBeyondExpiry("kept");
		assertThat(get("kept", FAILING)).isEqualTo("one");
		assertThat(application.events().takeResults()).containsExactly("miss", "loaded", "load_failed", "stale");
	}

	@Test
	void whoComesRightAfterAnErrorDoesNotTryAgain() {
		get("kept", loading("one"));
		bringBeyondExpiry("kept");
		awaitRest("kept");
		assertThat(get("kept", loading("two"))).isEqualTo("one");
		assertThat(this.loads).hasValue(1);
		server.command("DEL", key("kept", "r1"));
		assertThat(get("kept", loading("two"))).isEqualTo("two");
		assertThat(application.events().takeResults()).endsWith("stale", "miss", "loaded");
	}

	@Test
	void whoWaitedAndThenFailsToLoadGetsTheKeptValue() {
		get("waiting", loading("one"));
		bringBeyondExpiry("waiting");
		server.command("SET", key("waiting", "r1"), "somebody", "PX", "60000");
		assertThat(get("waiting", FAILING)).isEqualTo("one");
		assertThat(this.caches.getAll("waiting", List.of("a"), String.class, (missing) -> {
			throw new IllegalStateException("no database");
		})).containsValue("one");
		assertThat(application.events().takeResults()).containsExactly("miss", "loaded", "load_failed", "stale",
				"load_failed", "stale");
	}

	@Test
	void whoWaitedForItsOwnInstanceAndThenFailsToLoadGetsTheKeptValue() {
		get("waiting", loading("one"));
		bringBeyondExpiry("waiting");
		CountDownLatch began = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<String> loader = CompletableFuture.supplyAsync(() -> get("waiting", () -> {
			began.countDown();
			CacheContract.await(release);
			return "two";
		}));
		CacheContract.await(began);
		assertThat(get("waiting", FAILING)).isEqualTo("one");
		release.countDown();
		assertThat(loader.join()).isEqualTo("two");
	}

	@Test
	void valueBeyondItsExpiryGoesIfWhatReplacesItIsNotStored() {
		StringBuilder noise = noise();
		get("kept", loading("one"));
		bringBeyondExpiry("kept");
		assertThat(get("kept", noise::toString)).hasSize(5000);
		assertThatIllegalStateException().isThrownBy(() -> get("kept", FAILING));
		get("kept", loading("two"));
		bringBeyondExpiry("kept");
		this.caches.getAll("kept", List.of("a"), String.class, (missing) -> Map.of("a", noise.toString()));
		assertThatIllegalStateException().isThrownBy(() -> get("kept", FAILING));
	}

	@Test
	void valueBeyondItsExpiryIsNoHit() {
		get("kept", loading("one"));
		bringBeyondExpiry("kept");
		assertThat(get("kept", loading("two"))).isEqualTo("two");
		assertThat(get("kept", loading("three"))).isEqualTo("two");
		assertThat(ttl(key("kept", "r1"))).isEqualTo(-2);
	}

	@Test
	void withoutAKeptValueTheCallerGetsTheError() {
		assertThatIllegalStateException().isThrownBy(() -> get("kept", FAILING)).withMessage("no database");
		get("soon", loading("one"));
		server.command("DEL", key("soon", "e1"));
		assertThatIllegalStateException().isThrownBy(() -> get("soon", FAILING)).withMessage("no database");
	}

	@Test
	void absenceIsNotKept() {
		this.caches.get("kept", "a", String.class, () -> null);
		assertThat(ttl(key("kept", "e1"))).isBetween(1L, 30_000L);
	}

	@Test
	void writerEndsWhatIsKept() {
		get("kept", loading("one"));
		bringBeyondExpiry("kept");
		this.caches.evict("kept", "a");
		assertThatIllegalStateException().isThrownBy(() -> get("kept", FAILING));
	}

	@Test
	void invalidationEndsWhatIsKept() {
		get("kept", loading("one"));
		bringBeyondExpiry("kept");
		this.caches.clear("kept");
		assertThatIllegalStateException().isThrownBy(() -> get("kept", FAILING));
		get("kept", loading("two"));
		bringBeyondExpiry("kept");
		this.caches.clear("kept");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.caches.getAll("kept", List.of("a"), String.class, (missing) -> {
				throw new IllegalStateException("no database");
			}));
		assertThat(application.events().takeResults()).doesNotContain("stale");
	}

	@Test
	void invalidationEndsWhatIsKeptForThoseWhoWait() {
		get("waiting", loading("one"));
		bringBeyondExpiry("waiting");
		server.command("SET", key("waiting", "r1"), "somebody", "PX", "60000");
		this.caches.clear("waiting");
		assertThatIllegalStateException().isThrownBy(() -> get("waiting", FAILING));
		get("late", loading("old"));
		bringBeyondExpiry("late");
		server.command("SET", key("late", "r1"), "somebody", "PX", "60000");
		this.caches.clear("late");
		assertThat(get("late", loading("one"))).isEqualTo("one");
		assertThat(get("late", loading("two"))).isEqualTo("one");
		bringBeyondExpiry("late");
		awaitRest("late");
		this.caches.clear("late");
		assertThat(get("late", loading("three"))).isEqualTo("three");
		bringBeyondExpiry("late");
		server.command("SET", key("late", "r1"), "somebody", "PX", "60000");
		this.caches.clear("late");
		assertThat(this.caches.getAll("late", List.of("a"), String.class, (missing) -> Map.of("a", "four")))
			.containsValue("four");
	}

	@Test
	void whoCannotWaitAnyLongerGetsTheKeptValue() {
		get("late", loading("one"));
		bringBeyondExpiry("late");
		server.command("SET", key("late", "r1"), "somebody", "PX", "60000");
		assertThat(get("late", loading("two"))).isEqualTo("one");
		assertThat(this.loads).hasValue(1);
		assertThat(application.events().takeResults()).endsWith("stale");
	}

	@Test
	void whoCannotWaitForALoadOfItsOwnInstanceGetsTheKeptValue() {
		get("late", loading("one"));
		bringBeyondExpiry("late");
		CountDownLatch began = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<String> loader = CompletableFuture.supplyAsync(() -> get("late", () -> {
			began.countDown();
			CacheContract.await(release);
			return "two";
		}));
		CacheContract.await(began);
		assertThat(get("late", loading("three"))).isEqualTo("one");
		release.countDown();
		assertThat(loader.join()).isEqualTo("two");
		assertThat(get("late", loading("three"))).isEqualTo("two");
	}

	@Test
	void whoCannotWaitGetsWhatAnotherInstanceHasWrittenMeanwhile() {
		get("late", loading("one"));
		bringBeyondExpiry("late");
		this.caches.get("late", "b", String.class, loading("two"));
		CountDownLatch began = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<String> loader = CompletableFuture.supplyAsync(() -> get("late", () -> {
			began.countDown();
			CacheContract.await(release);
			return "one";
		}));
		CacheContract.await(began);
		server.command("COPY", "ge:cache:{late:b}:e1", key("late", "e1"), "REPLACE");
		assertThat(get("late", FAILING)).isEqualTo("two");
		assertThat(this.caches.getAll("late", List.of("a"), String.class, (missing) -> Map.of())).containsEntry("a",
				"two");
		release.countDown();
		loader.join();
	}

	@Test
	void whoMustNotWaitWaitsForTheAnswerOfRedis() {
		this.caches.get("hurried", "a", String.class, () -> "one");
		ExecutorService threads = Executors.newFixedThreadPool(4);
		List<CompletableFuture<?>> readers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			readers.add(CompletableFuture.runAsync(() -> {
				for (int read = 0; read < 300; read++) {
					assertThat(get("hurried", FAILING)).isEqualTo("one");
					assertThat(this.caches.getAll("hurried", List.of("a"), String.class, (missing) -> Map.of()))
						.containsEntry("a", "one");
				}
			}, threads));
		}
		CompletableFuture.allOf(readers.toArray(CompletableFuture[]::new)).join();
		threads.shutdown();
	}

	@Test
	void whoCannotWaitAndFindsNothingKeptLoads() {
		server.command("SET", key("late", "e1"), "Lsomebody", "PX", "60000");
		assertThat(get("late", loading("one"))).isEqualTo("one");
		assertThat(application.events().takeResults()).containsExactly("miss", "loaded");
	}

	@Test
	void whoCannotWaitFailsIfTheCacheSaysSo() {
		server.command("SET", key("failing", "e1"), "Lsomebody", "PX", "60000");
		assertThatExceptionOfType(CacheLoadTimeoutException.class).isThrownBy(() -> get("failing", loading("one")))
			.withMessageContaining("'failing'");
		assertThat(this.loads).hasValue(0);
	}

	@Test
	void whoComesWhenAValueIsGoneWaitsForItsRefresh() {
		server.command("SET", key("failing", "r1"), "somebody", "PX", "60000");
		assertThatExceptionOfType(CacheLoadTimeoutException.class).isThrownBy(() -> get("failing", loading("one")));
	}

	// Times and sizes

	@Test
	void valuesOfOneMomentDoNotExpireTogether() {
		List<Long> ttls = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			this.caches.get("spread", i, String.class, () -> "one");
			ttls.add(ttl("ge:cache:{spread:" + i + "}:e1"));
		}
		assertThat(ttls).allSatisfy((ttl) -> assertThat(ttl).isBetween(490_000L, 1_000_000L));
		assertThat(ttls.stream().mapToLong(Long::longValue).max().getAsLong()
				- ttls.stream().mapToLong(Long::longValue).min().getAsLong())
			.isGreaterThan(100_000);
	}

	@Test
	void permanentValueHasNoTtl() {
		get("eternal", loading("one"));
		assertThat(ttl(key("eternal", "e1"))).isEqualTo(-1);
		assertThat(get("eternal", loading("two"))).isEqualTo("one");
		this.caches.write("eternal", "a", () -> "written");
		assertThat(ttl(key("eternal", "e1"))).isEqualTo(-1);
		this.caches.write("eternal", "a", () -> null);
		assertThat(ttl(key("eternal", "e1"))).as("absence").isBetween(1L, 30_000L);
		this.caches.evict("eternal", "a");
	}

	@Test
	void largeValueIsCompressed() {
		assertThat(get("soon", () -> "a".repeat(5000))).hasSize(5000);
		assertThat((Long) server.command("STRLEN", key("soon", "e1"))).isLessThan(200);
		assertThat(get("soon", FAILING)).isEqualTo("a".repeat(5000));
	}

	@Test
	void oversizedValueIsReturnedAndNotStored() {
		StringBuilder noise = noise();
		assertThat(get("soon", noise::toString)).hasSize(5000);
		Awaitility.await("the lease is given back").until(() -> ttl(key("soon", "e1")) == -2);
		assertThat(get("soon", loading("one"))).isEqualTo("one");
		this.caches.write("soon", "a", noise::toString);
		assertThat(ttl(key("soon", "e1"))).as("removed by the writer").isEqualTo(-2);
	}

	private static StringBuilder noise() {
		StringBuilder noise = new StringBuilder();
		new Random(1).ints(5000, 'a', 'z').forEach((letter) -> noise.append((char) letter));
		return noise;
	}

	@Test
	void valueOfHibernateIsRefusedForReadersAndRemovedForWriters() {
		Supplier<Names> lazy = () -> new Names(new PersistentBag<>());
		assertThatExceptionOfType(UncacheableValueException.class)
			.isThrownBy(() -> this.caches.get("lazy", "a", Names.class, lazy))
			.withMessageContaining("cache 'lazy'")
			.withMessageContaining("'names'")
			.withMessageContaining("a record");
		Awaitility.await("the lease is given back").until(() -> ttl(key("lazy", "e1")) == -2);
		assertThat(this.caches.write("lazy", "a", lazy)).isNotNull();
		assertThat(ttl(key("lazy", "e1"))).isEqualTo(-2);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void valueThatWouldComeBackAsSomethingElseIsReturnedAndNotStored(CapturedOutput output) {
		assertThat(this.caches.get("lossy", "a", Lossy.class, () -> new Lossy(null))).isNotNull();
		assertThat(ttl(key("lossy", "e1"))).as("nothing to be lost").isPositive();
		for (int i = 0; i < 2; i++) {
			this.caches.write("lossy", "a", () -> new Lossy("note"));
			assertThat(ttl(key("lossy", "e1"))).as("removed by the writer").isEqualTo(-2);
			assertThat(this.caches.get("lossy", "a", Lossy.class, () -> new Lossy("note")).note).isEqualTo("note");
			Awaitility.await("the lease is given back").until(() -> ttl(key("lossy", "e1")) == -2);
		}
		assertThat(output).containsOnlyOnce("A value of cache 'lossy' is not stored, since a java.lang.String is read"
				+ " back as null, in 'note' of " + Lossy.class.getName() + ". Make it a type that");
	}

	/**
	 * Has something that Jackson does not see.
	 */
	static final class Lossy {

		public String name = "";

		private @Nullable String note;

		Lossy() {
		}

		Lossy(@Nullable String note) {
			this.note = note;
		}

	}

	/**
	 * An entity's collection outside of it.
	 *
	 * @param names the collection
	 */
	record Names(List<String> names) {
	}

	/**
	 * A value that cannot be written.
	 */
	static final class Broken {

		public String getText() {
			throw new NoClassDefFoundError("no text");
		}

	}

}
