// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.cache.CacheManager;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * What a caller gets who has waited for longer than invalidations may be missed, and one
 * was made meanwhile of which nobody has told: what was known when it came is too old to
 * judge by.
 */
@Wide
@OnRedis
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CacheLateInvalidationIntegrationTests {

	private static final int LONGER_THAN_MAX_STALENESS = 500;

	private RedisEndpoint server;

	private RedisFixture redis;

	private CacheApplication loading;

	private CacheApplication waiting;

	private SpringBalances spring;

	private final AtomicInteger numbers = new AtomicInteger();

	@BeforeAll
	void start(RedisFixture redis) {
		this.redis = redis;
		this.server = redis.endpoints().get(0);
		this.loading = SpringBalances.start(redis.properties(), "ge.redis.cache.lease-time=10m");
		this.waiting = CacheApplication.start(SpringBalances.Configuration.class, redis.properties(),
				this.loading.database(), "ge.redis.cache.max-staleness=400ms", "ge.redis.cache.load-wait=10m",
				"ge.redis.cache.lease-time=10m", "ge.redis.cache.ttl-jitter=0", "ge.redis.cache.caches.kept.ttl=50ms",
				"ge.redis.cache.caches.kept.stale-if-error=10m", "ge.redis.cache.caches.kept.type=java.lang.String",
				"ge.redis.cache.caches.optional.ttl=50ms", "ge.redis.cache.caches.optional.stale-if-error=10m")
			.connected();
		this.spring = this.waiting.bean(SpringBalances.class);
	}

	@AfterAll
	void stop() {
		this.waiting.close();
		this.loading.close();
	}

	@BeforeEach
	void prepare() {
		// Who finds no versions takes all entries for outdated
		List.of("balances", "kept", "optional").forEach(this.waiting.caches()::clear);
		this.loading.caches().clear("balances");
		this.spring.whileLoading(() -> {
		});
		this.spring.executor((task) -> new Thread(task, "loader").start());
	}

	private String newId() {
		String id = "id" + this.numbers.incrementAndGet();
		this.loading.balances().insert(id, "100");
		return id;
	}

	/**
	 * Changes all rows and makes all entries of a cache outdated, without a message.
	 */
	private void changeInSilence(String cache) {
		this.loading.bean(JdbcTemplate.class).update("update balance set version = 7");
		this.server.command("ZADD", "ge:cache:{" + cache + "}:i1",
				String.valueOf(System.currentTimeMillis() * 1000 + 900_000), "*");
	}

	private static void letTimePass() {
		CacheContract.await(CacheReadingIntegrationTests.passing(LONGER_THAN_MAX_STALENESS));
	}

	private static <T> CompletableFuture<T> inItsOwnThread(Supplier<T> work) {
		return CompletableFuture.supplyAsync(work, (task) -> new Thread(task).start());
	}

	private Map<String, Balance> load(List<String> ids) {
		Map<String, Balance> found = new HashMap<>();
		ids.forEach((id) -> found.put(id, this.waiting.balances().stored(id)));
		return found;
	}

	private Map<String, Balance> readSeveral(List<String> ids) {
		return this.waiting.caches().getAll("balances", ids, Balance.class, this::load);
	}

	// Who waits for the value that another one loads

	private void assertJudgedAfterTheWait(Function<String, Balance> read) {
		String id = newId();
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.loading.balances().whileLoading(() -> {
			begun.countDown();
			CacheContract.await(release);
		});
		CompletableFuture<Balance> loader = inItsOwnThread(() -> this.loading.balances().find(id));
		CacheContract.await(begun);
		this.redis.configResetStat();
		CompletableFuture<Balance> waiter = inItsOwnThread(() -> read.apply(id));
		Awaitility.await("somebody waits").until(() -> this.redis.commandCalls("sadd") > 0);
		changeInSilence("balances");
		letTimePass();
		release.countDown();
		assertThat(loader.join().version()).as("of before the change").isZero();
		assertThat(waiter.join().version()).isEqualTo(7);
	}

	@Test
	void valueThatAnotherOneLoads() {
		assertJudgedAfterTheWait(this.waiting.balances()::find);
	}

	@Test
	void valueThatAnotherOneLoadsForSpring() {
		assertJudgedAfterTheWait(this.spring::find);
	}

	@Test
	void valueThatAnotherOneLoadsForAFutureOfSpring() {
		assertJudgedAfterTheWait((id) -> this.spring.findLater(id).join());
	}

	// Who gets a value that has expired, because it cannot be loaded

	private void fillAndAwaitExpiry(String cache, String id) {
		// Both return when it is stored
		if (cache.equals("kept")) {
			this.waiting.caches().get(cache, id, String.class, () -> "loaded");
		}
		else {
			this.spring.whileLoading(() -> {
			});
			this.spring.findOptional(id);
		}
		Awaitility.await("the value has expired, and is kept")
			.until(() -> (Long) this.server.command("PTTL", "ge:cache:{" + cache + ":" + id + "}:e1") <= 600_000);
	}

	/**
	 * Reads while nothing can be loaded, which takes its time to show.
	 * @param change what happens meanwhile
	 */
	private <T> T readWhileLoadingFails(Read<T> read, String cache, String id, Runnable change) throws Exception {
		fillAndAwaitExpiry(cache, id);
		return read.read(id, () -> {
			change.run();
			letTimePass();
			throw new IllegalStateException("no database");
		});
	}

	private <T> void assertJudgedAfterTheFailure(String cache, Read<T> read) throws Exception {
		T kept = readWhileLoadingFails(read, cache, newId(), () -> {
		});
		assertThat(kept).as("what has only expired").isNotNull();
		assertThatException()
			.isThrownBy(() -> readWhileLoadingFails(read, cache, newId(), () -> changeInSilence(cache)))
			.extracting(NestedExceptionUtils::getMostSpecificCause)
			.isInstanceOfSatisfying(IllegalStateException.class, (ex) -> assertThat(ex).hasMessage("no database"));
	}

	private static String loaded(Runnable whileLoading) {
		whileLoading.run();
		return "loaded";
	}

	@Test
	@FirstRun
	void expiredValue() throws Exception {
		assertJudgedAfterTheFailure("kept",
				(id, whileLoading) -> this.waiting.caches().get("kept", id, String.class, () -> loaded(whileLoading)));
	}

	@Test
	void expiredValuesOfSeveralKeys() throws Exception {
		assertJudgedAfterTheFailure("kept",
				(id, whileLoading) -> this.waiting.caches()
					.getAll("kept", List.of(id), String.class, (ids) -> Map.of(id, loaded(whileLoading)))
					.get(id));
	}

	@Test
	void expiredValueForSpring() throws Exception {
		assertJudgedAfterTheFailure("optional", (id, whileLoading) -> {
			this.spring.whileLoading(whileLoading);
			return this.spring.findOptionalInSync(id).orElseThrow();
		});
	}

	@Test
	void expiredValueForAFutureOfSpring() throws Exception {
		assertJudgedAfterTheFailure("optional", (id, whileLoading) -> {
			this.spring.whileLoading(whileLoading);
			return this.spring.findKeptLaterInSync(id).get();
		});
	}

	@Test
	void expiredValueForAFutureInCode() throws Exception {
		assertJudgedAfterTheFailure("kept",
				(id, whileLoading) -> this.waiting.bean(CacheManager.class)
					.getCache("kept")
					.retrieve(id, () -> inItsOwnThread(() -> loaded(whileLoading)))
					.get());
	}

	/**
	 * A way to read.
	 *
	 * @param <T> what is read
	 */
	private interface Read<T> {

		T read(String id, Runnable whileLoading) throws Exception;

	}

}
