// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a cache does on every Redis.
 */
abstract class CacheContract {

	private RedisFixture redis;

	private CacheApplication application;

	private Balances balances;

	@BeforeEach
	void start(RedisFixture redis) {
		this.redis = redis;
		this.application = CacheApplication
			.start(redis.properties(),
					properties("ge.redis.cache.caches.brief.ttl=400ms", "ge.redis.cache.caches.kept.ttl=50ms",
							"ge.redis.cache.caches.kept.stale-if-error=1m"))
			.connected();
		this.balances = this.application.balances();
		this.balances.insert("a", "100");
		learnScripts();
		redis.flushAll();
		// Whoever finds no versions takes all entries for outdated
		this.application.caches().clear("balances");
		this.balances.loads().set(0);
		this.application.events().takeResults();
	}

	/**
	 * However slow the machine, nobody takes over from a loader that lives, or stops
	 * waiting for it.
	 */
	private static String[] properties(String... more) {
		List<String> all = new ArrayList<>(List.of("ge.redis.cache.lease-time=1m", "ge.redis.cache.load-wait=1m"));
		all.addAll(List.of(more));
		return all.toArray(String[]::new);
	}

	private CacheApplication startOther() {
		return CacheApplication
			.start(CacheApplication.Configuration.class, this.redis.properties(), this.application.database(),
					properties())
			.connected();
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	// So that later counts are free of repetitions, on each node of a cluster
	private void learnScripts() {
		for (int i = 0; i < 30; i++) {
			this.balances.find("none" + i);
			this.balances.add("none" + i, "0");
			this.application.caches().evict("balances", "none" + i);
		}
		this.application.caches().clear("balances");
		this.application.caches().clear("grouped");
		this.balances.findGrouped("none");
	}

	private long calls(Runnable work) {
		this.redis.configResetStat();
		work.run();
		return this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval");
	}

	@Test
	void missIsLoadedOnceAtTwoScriptCallsAndHitIsAGet() {
		assertThat(calls(() -> this.balances.find("a"))).as("one more through a driver that cannot send the command")
			.isBetween(2L, 3L);
		assertThat(calls(() -> assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"))))
			.as("one through a driver that cannot send the command")
			.isLessThanOrEqualTo(1);
		assertThat(this.balances.loads()).hasValue(1);
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "hit");
	}

	@Test
	void readIsToldOnTheCallersThread() {
		this.balances.find("a");
		this.balances.find("a");
		assertThat(this.application.events().threadOf("miss")).isSameAs(Thread.currentThread());
		assertThat(this.application.events().threadOf("hit")).isSameAs(Thread.currentThread());
	}

	@Test
	@Wide
	void writeCostsTwoCallsAndIsReadAtOnce() {
		this.balances.find("a");
		this.application.events().takeResults();
		assertThat(calls(() -> this.balances.add("a", "1.5"))).isEqualTo(2);
		Balance read = this.balances.find("a");
		assertThat(read).isEqualTo(new Balance("a", new BigDecimal("101.50"), 1)).isEqualTo(this.balances.stored("a"));
		assertThat(this.application.events().takeResults()).containsExactly("published", "hit");
	}

	@Test
	@Wide
	void rolledBackWriteCostsNothingAndChangesNothing() {
		Balance before = this.balances.find("a");
		assertThat(calls(() -> assertThatIllegalStateException().isThrownBy(() -> this.balances.addAndFail("a", "1"))))
			.isZero();
		assertThat(this.balances.find("a")).isEqualTo(before).isEqualTo(this.balances.stored("a"));
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "rolled_back", "hit");
	}

	@Test
	@Wide
	void absenceIsCachedUntilAWriterPublishes() {
		assertThat(this.balances.find("b")).isNull();
		assertThat(this.balances.find("b")).isNull();
		assertThat(this.balances.findOptional("b")).isEmpty();
		assertThat(this.balances.findOptional("b")).isEmpty();
		assertThat(this.balances.loads()).hasValue(2);
		this.balances.insert("b", "1");
		this.balances.add("b", "1");
		assertThat(this.balances.find("b")).isEqualTo(new Balance("b", new BigDecimal("2.00"), 1));
		this.balances.remove("b");
		assertThat(this.balances.find("b")).isNull();
		assertThat(this.balances.loads()).hasValue(2);
	}

	@Test
	@Wide
	void evictedEntryIsLoadedAnew() {
		this.balances.find("a");
		assertThat(calls(() -> this.application.caches().evict("balances", "a"))).isEqualTo(1);
		this.balances.find("a");
		assertThat(this.balances.loads()).hasValue(2);
	}

	@Test
	@Wide
	void clearedCacheIsLoadedAnewAtOneCall() {
		this.balances.find("a");
		this.balances.find("b");
		assertThat(calls(() -> this.application.caches().clear("balances"))).isEqualTo(1);
		this.balances.find("a");
		this.balances.find("b");
		assertThat(this.balances.loads()).hasValue(4);
		this.balances.find("a");
		assertThat(this.balances.loads()).hasValue(4);
		assertThat(this.application.events().takeResults()).doesNotContain("unreadable");
	}

	@Test
	@Wide
	void entriesWithATagAreLoadedAnewAtOneCall() {
		// The versions of the last test were lost, which the next invalidation notices
		this.application.caches().clear("grouped");
		this.balances.findGrouped("a", "red", "blue");
		this.balances.findGrouped("b", "blue");
		this.balances.findGrouped("c");
		assertThat(calls(() -> this.application.caches().invalidateTags("grouped", "red", "green"))).isEqualTo(1);
		this.balances.findGrouped("a", "red", "blue");
		this.balances.findGrouped("b", "blue");
		this.balances.findGrouped("c");
		assertThat(this.balances.loads()).hasValue(4);
		this.application.caches().invalidateTags("grouped", "blue");
		this.balances.findGrouped("a", "red", "blue");
		this.balances.findGrouped("b", "blue");
		this.balances.findGrouped("c");
		assertThat(this.balances.loads()).hasValue(6);
	}

	@Test
	@Wide
	void readerThatLoadedBeforeAWriteDoesNotStoreTheOldValue() {
		this.balances.whileLoading(() -> {
			this.balances.whileLoading(() -> {
			});
			CompletableFuture.runAsync(() -> this.balances.add("a", "1")).join();
		});
		assertThat(this.balances.find("a")).isEqualTo(new Balance("a", new BigDecimal("100.00"), 0));
		assertThat(this.balances.find("a")).isEqualTo(new Balance("a", new BigDecimal("101.00"), 1));
		assertThat(this.balances.loads()).hasValue(1);
	}

	@Test
	@Wide
	void oneCallerOfTheFleetLoadsAndTheOthersAreWoken() throws Exception {
		try (CacheApplication other = startOther()) {
			this.redis.configResetStat();
			CountDownLatch loading = new CountDownLatch(1);
			CountDownLatch release = new CountDownLatch(1);
			this.balances.whileLoading(() -> {
				loading.countDown();
				await(release);
			});
			ExecutorService threads = Executors.newFixedThreadPool(20);
			List<CompletableFuture<Balance>> calls = new ArrayList<>();
			calls.add(CompletableFuture.supplyAsync(() -> this.balances.find("a"), threads));
			await(loading);
			for (int i = 0; i < 19; i++) {
				Balances asked = (i % 2 == 0) ? this.balances : other.balances();
				calls.add(CompletableFuture.supplyAsync(() -> asked.find("a"), threads));
			}
			Awaitility.await().until(() -> this.redis.commandCalls("sadd") > 0);
			Stopwatch watch = Stopwatch.start();
			release.countDown();
			for (CompletableFuture<Balance> call : calls) {
				assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo(this.balances.stored("a"));
			}
			assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(1));
			assertThat(this.balances.loads().get() + other.balances().loads().get())
				.as("loads of %s and %s", this.application.events().results(), other.events().results())
				.isEqualTo(1);
			threads.shutdown();
		}
	}

	@Test
	@Wide
	void readersAndWritersInParallelEndEqual() throws Exception {
		try (CacheApplication other = startOther()) {
			ExecutorService threads = Executors.newFixedThreadPool(20);
			List<CompletableFuture<Void>> work = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				Balances target = (i % 2 == 0) ? this.balances : other.balances();
				boolean writer = i % 4 < 2;
				work.add(CompletableFuture.runAsync(() -> {
					for (int round = 0; round < 25; round++) {
						work(target, writer);
					}
				}, threads));
			}
			for (CompletableFuture<Void> thread : work) {
				thread.get(60, TimeUnit.SECONDS);
			}
			threads.shutdown();
			assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
			assertThat(other.balances().find("a")).isEqualTo(this.balances.stored("a"));
			assertThat(this.balances.stored("a").version()).isPositive();
			this.balances.loads().set(0);
			this.application.events().takeResults();
			assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
			assertThat(this.balances.loads()).as("loads of %s", this.application.events().results()).hasValue(0);
		}
	}

	private static void work(Balances target, boolean writer) {
		if (!writer) {
			assertThat(target.find("a")).isNotNull();
			return;
		}
		switch (ThreadLocalRandom.current().nextInt(4)) {
			case 0 -> assertThatIllegalStateException().isThrownBy(() -> target.addAndFail("a", "1"));
			case 1 -> target.addInTemplates("a", "1");
			default -> target.add("a", "1");
		}
	}

	@Test
	@Wide
	void waiterTakesOverWhenTheLoaderFails() {
		this.balances.whileLoading(() -> {
			this.balances.whileLoading(() -> {
			});
			throw new IllegalStateException("no database");
		});
		assertThatIllegalStateException().isThrownBy(() -> this.balances.find("a")).withMessage("no database");
		assertThat(this.balances.find("a")).isNotNull();
		assertThat(this.application.events().takeResults()).containsExactly("miss", "load_failed", "miss", "loaded");
	}

	@Test
	@Wide
	void valueThatIsReadIsReplacedBeforeItExpires() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> {
				this.application.caches().get("brief", "a", String.class, () -> {
					await(CacheReadingIntegrationTests.passing(50));
					return "value";
				});
				List<String> results = this.application.events().results();
				return Collections.frequency(results, "loaded") > Collections.frequency(results, "miss") + 1;
			});
	}

	@Test
	@Wide
	void valueThatHasExpiredIsServedWhileTheLoaderFails() {
		GeCaches caches = this.application.caches();
		caches.get("kept", "a", String.class, () -> "old");
		Awaitility.await().until(() -> {
			assertThat(caches.get("kept", "a", String.class, () -> {
				throw new IllegalStateException("no database");
			})).isEqualTo("old");
			return this.application.events().results().contains("stale");
		});
		Awaitility.await().until(() -> "new".equals(caches.get("kept", "a", String.class, () -> "new")));
	}

	@Test
	@Wide
	void scriptsSurviveBeingForgotten() {
		this.redis.scriptFlush();
		assertThat(this.balances.find("a")).isNotNull();
		this.balances.add("a", "1");
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
	}

	/**
	 * Has an entry end after a time, for Redis and for those who read it.
	 */
	static void expireIn(RedisEndpoint server, String entry, long millis) {
		server.command("EVAL", """
				local now = redis.call('TIME')
				local ends = math.floor(now[1] * 1000 + now[2] / 1000) + tonumber(ARGV[1])
				redis.call('SETRANGE', KEYS[1], 22, struct.pack('>I8', ends))
				return redis.call('PEXPIRE', KEYS[1], ARGV[1])
				""", "1", entry, String.valueOf(millis));
	}

	static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
