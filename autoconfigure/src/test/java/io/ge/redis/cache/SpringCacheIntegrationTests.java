// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.ge.redis.InvalidKeyException;
import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.cache.interceptor.SimpleKey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Methods with {@code @Cacheable}.
 */
@Wide
@OnRedis
class SpringCacheIntegrationTests {

	/** Nobody who waits for nothing gets through a test with this. */
	private static final String NEVER = "ge.redis.cache.load-wait=10m";

	private RedisFixture redis;

	private CacheApplication application;

	private Balances balances;

	private SpringBalances spring;

	@BeforeEach
	void start(RedisFixture redis) {
		this.redis = redis;
		use(SpringBalances.start(redis.properties(), NEVER, "ge.redis.cache.lease-time=10m"));
	}

	private void use(CacheApplication started) {
		this.application = started;
		this.balances = started.balances();
		this.spring = started.bean(SpringBalances.class);
		this.balances.insert("a", "100");
		started.caches().clear("balances");
		started.events().takeResults();
	}

	private void restart(String... properties) {
		this.application.close();
		use(SpringBalances.start(this.redis.properties(), properties));
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private static <T> T elsewhere(Supplier<T> call) throws Exception {
		return CompletableFuture.supplyAsync(call, (task) -> new Thread(task, "elsewhere").start())
			.get(30, TimeUnit.SECONDS);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void missIsLoadedOnceAtTwoScriptCallsAndHitCostsNone() {
		this.spring.find("warm");
		this.spring.find("warm");
		this.application.events().takeResults();
		this.spring.loads().set(0);
		this.redis.configResetStat();
		assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(2);
		assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(2);
		assertThat(this.spring.loads()).hasValue(1);
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "hit");
	}

	@Test
	void entriesAreThoseOfOurAnnotations() {
		this.balances.find("a");
		assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.findInSync("a")).isEqualTo(this.balances.stored("a"));
		this.balances.add("a", "1");
		assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("101.00"));
		assertThat(this.spring.loads()).hasValue(0);
		this.spring.add("a", "1");
		this.balances.loads().set(0);
		assertThat(this.balances.find("a").amount()).isEqualTo(new BigDecimal("102.00"));
		assertThat(this.balances.loads()).hasValue(0);
	}

	@Test
	void memoryAnswersWithoutACommandUntilAChange() {
		restart("ge.redis.cache.near.enabled=true");
		for (Supplier<Balance> read : List.<Supplier<Balance>>of(() -> this.spring.find("a"),
				() -> this.spring.findInSync("a"), () -> this.spring.findLater("a").join())) {
			Balance stored = this.balances.stored("a");
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
				this.application.events().takeEvents();
				assertThat(read.get()).isEqualTo(stored);
				return this.application.events()
					.takeEvents()
					.equals(List.of(new CacheEvent.Read("balances", CacheEvent.Access.HIT, CacheEvent.Tier.NEAR)));
			});
			this.spring.add("a", "1");
			assertThat(read.get()).isEqualTo(this.balances.stored("a")).isNotEqualTo(stored);
		}
	}

	@Test
	void absenceIsCached() {
		assertThat(this.spring.find("none")).isNull();
		assertThat(this.spring.find("none")).isNull();
		assertThat(this.spring.findInSync("none")).isNull();
		assertThat(this.spring.findOptional("none")).isEmpty();
		assertThat(this.spring.findOptional("none")).isEmpty();
		assertThat(this.spring.findOptionalInSync("none")).isEmpty();
		assertThat(this.spring.loads()).hasValue(2);
	}

	@Test
	void optionalIsTheValueItself() {
		assertThat(this.spring.findOptional("a")).contains(this.balances.stored("a"));
		assertThat(this.spring.findOptionalInSync("a")).contains(this.balances.stored("a"));
		assertThat(this.balances.findOptional("a")).isEqualTo(Optional.ofNullable(this.balances.stored("a")));
		assertThat(this.spring.loads()).hasValue(1);
		assertThat(this.balances.loads()).hasValue(0);
	}

	@Test
	void severalParametersAreTheKeyOfAList() {
		assertThat(this.spring.pair("a, b", "c")).isEqualTo("a, b|c");
		assertThat(new SimpleKey("a, b", "c")).hasToString(new SimpleKey("a", "b, c").toString());
		assertThat(this.spring.pair("a", "b, c")).isEqualTo("a|b, c");
		assertThat(this.spring.pairOfOurs("a", "b, c")).isEqualTo("a|b, c");
		assertThat(this.spring.several("a", "b, c")).isEqualTo("a|b, c");
		assertThat(this.spring.loads()).hasValue(2);
	}

	@Test
	void noParametersAreAKeyToo() {
		assertThat(this.spring.all()).containsExactly("all");
		assertThat(this.spring.all()).containsExactly("all");
		assertThat(this.spring.loads()).hasValue(1);
	}

	@Test
	void keysThatNameNothingAreRefused() {
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> this.spring.byObject(new Object()))
			.withMessageContaining("The key of cache 'pairs'")
			.withMessageContaining("no text of its own");
		assertThat(this.spring.loads()).hasValue(0);
	}

	@Test
	void nobodyWaitsForAMethodThatThrows() throws Exception {
		this.spring.whileLoading(() -> {
			throw new IllegalStateException("no database");
		});
		assertThatIllegalStateException().isThrownBy(() -> this.spring.find("a")).withMessage("no database");
		assertThatIllegalStateException().isThrownBy(() -> this.spring.findInSync("a")).withMessage("no database");
		this.spring.whileLoading(() -> {
		});
		assertThat(elsewhere(() -> this.spring.find("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(this.balances.loads()).hasValue(0);
		assertThat(this.application.events().takeResults()).containsExactly("miss", "miss", "load_failed", "miss",
				"loaded", "hit");
	}

	@Test
	void nobodyWaitsForAValueThatIsNotToBeStored() throws Exception {
		this.spring.findUnlessPositive("a");
		elsewhere(() -> this.spring.findUnlessPositive("a"));
		assertThat(this.spring.loads()).hasValue(2);
		assertThat(elsewhere(() -> this.spring.find("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.loads()).hasValue(3);
	}

	@Test
	@FirstRun
	void methodThatAsksForItsOwnValueDoesNotWaitForItself() throws Exception {
		this.spring.whileLoading(() -> {
			this.spring.whileLoading(() -> {
			});
			assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
			assertThat(this.spring.findInSync("a")).isEqualTo(this.balances.stored("a"));
			assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
		});
		assertThat(elsewhere(() -> this.spring.find("a"))).isEqualTo(this.balances.stored("a"));
		this.spring.loads().set(0);
		assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.loads()).hasValue(0);
	}

	@Test
	void othersWaitForTheOneWhoLoads() throws Exception {
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.spring.whileLoading(() -> {
			loading.countDown();
			await(release);
		});
		Executor threads = (task) -> new Thread(task, "reader").start();
		CompletableFuture<Balance> first = CompletableFuture.supplyAsync(() -> this.spring.findInSync("a"), threads);
		await(loading);
		CompletableFuture<Balance> second = CompletableFuture.supplyAsync(() -> this.spring.find("a"), threads);
		CompletableFuture<Balance> third = CompletableFuture.supplyAsync(() -> this.balances.find("a"), threads);
		release.countDown();
		assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(this.balances.stored("a"));
		assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(this.balances.stored("a"));
		assertThat(third.get(30, TimeUnit.SECONDS)).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.loads().get() + this.balances.loads().get()).isEqualTo(1);
	}

	@Test
	void whoHasWaitedForTooLongFailsIfConfigured() {
		restart("ge.redis.cache.load-wait=1ms", "ge.redis.cache.on-load-timeout=fail");
		this.spring.whileLoading(() -> {
			assertThatExceptionOfType(CacheLoadTimeoutException.class)
				.isThrownBy(() -> unchecked(() -> elsewhere(() -> this.spring.find("a"))));
			assertThatExceptionOfType(CacheLoadTimeoutException.class)
				.isThrownBy(() -> unchecked(() -> elsewhere(() -> this.spring.findInSync("a"))));
		});
		this.spring.findInSync("a");
		assertThat(this.spring.loads()).hasValue(1);
	}

	private static void unchecked(Work work) throws Exception {
		try {
			work.run();
		}
		catch (ExecutionException ex) {
			throw (Exception) ex.getCause();
		}
	}

	@Test
	void whoHasWaitedForTooLongLoadsAndStoresNothing() {
		restart("ge.redis.cache.load-wait=1ms", "ge.redis.cache.lease-time=10m");
		this.spring.whileLoading(() -> {
			this.spring.whileLoading(() -> {
			});
			this.balances.addOutsideOfCache("a", "1");
			try {
				assertThat(elsewhere(() -> this.spring.findInSync("a")).amount()).isEqualTo(new BigDecimal("101.00"));
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		});
		this.spring.findInSync("a");
		assertThat(this.spring.loads()).hasValue(2);
		assertThat(this.spring.find("a").amount()).as("of the one with the lease").isEqualTo(new BigDecimal("100.00"));
	}

	@Test
	void expiredValueStandsInForOneThatCannotBeLoaded() {
		restart("ge.redis.cache.caches.balances.ttl=1ms", "ge.redis.cache.caches.balances.stale-if-error=10m",
				"ge.redis.cache.caches.optional.ttl=1ms", "ge.redis.cache.caches.optional.stale-if-error=10m");
		this.spring.find("a");
		this.spring.findOptional("a");
		this.spring.whileLoading(() -> {
			throw new IllegalStateException("no database");
		});
		this.balances.addOutsideOfCache("a", "1");
		this.application.events().takeResults();
		awaitStale(() -> this.spring.findInSync("a").amount());
		awaitStale(() -> this.spring.findOptionalInSync("a").orElseThrow().amount());
		assertThat(this.application.events().takeResults()).contains("load_failed", "stale").doesNotContain("loaded");
		this.application.caches().evict("balances", "a");
		assertThatIllegalStateException().isThrownBy(() -> this.spring.find("a")).withMessage("no database");
	}

	// It was stored with a millisecond to live, which need not be over
	private static void awaitStale(Supplier<BigDecimal> amount) {
		Awaitility.await().untilAsserted(() -> assertThat(amount.get()).isEqualTo(new BigDecimal("100.00")));
	}

	@Test
	void valueIsReplacedBeforeItExpiresInSync() {
		restart("ge.redis.cache.early-refresh.beta=1000000000", "ge.redis.cache.caches.balances.ttl=1h");
		this.spring.findInSync("a");
		this.balances.addOutsideOfCache("a", "1");
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.spring.findInSync("a").amount()).isEqualTo(new BigDecimal("101.00")));
		assertThat(this.application.events().takeResults().stream().filter("miss"::equals)).hasSize(1);
	}

	@Test
	void readerThatLoadedBeforeAWriteDoesNotStoreTheOldValue() {
		for (Supplier<Balance> reader : List.<Supplier<Balance>>of(() -> this.spring.find("a"),
				() -> this.spring.findInSync("a"), () -> this.spring.findInTransaction("a"))) {
			this.application.caches().evict("balances", "a");
			this.spring.whileLoading(() -> {
				this.spring.whileLoading(() -> {
				});
				CompletableFuture.runAsync(() -> this.spring.addAndEvict("a", "1")).join();
			});
			Balance before = this.balances.stored("a");
			assertThat(reader.get()).isEqualTo(before);
			assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a")).isNotEqualTo(before);
		}
	}

	@Test
	@FirstRun
	void readerStoresNothingWhereEntriesHaveTags() {
		this.balances.findGrouped("a", "red");
		assertThat(this.spring.findGrouped("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.loads()).hasValue(0);
		this.application.caches().evict("grouped", "a");
		this.spring.findGrouped("a");
		this.spring.findGrouped("a");
		assertThat(this.spring.loads()).hasValue(2);
	}

	@Test
	void allEntriesAreOutdatedByAnInvalidation() {
		this.spring.find("a");
		this.application.caches().clear("balances");
		this.spring.find("a");
		assertThat(this.spring.loads()).hasValue(2);
		assertThat(this.application.events().takeResults()).doesNotContain("unreadable");
	}

	@Test
	void readerInATransactionThatHasWrittenSeesTheDatabase() {
		this.spring.find("a");
		this.application.transaction().executeWithoutResult((status) -> {
			this.spring.addInCallersTransaction("a", "1");
			assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("101.00"));
			assertThat(this.spring.findInSync("a").amount()).isEqualTo(new BigDecimal("101.00"));
			status.setRollbackOnly();
		});
		assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("100.00"));
	}

	@Test
	@FirstRun
	void loaderThatHasWrittenItselfStoresNothing() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.spring.whileLoading(() -> this.spring.addInCallersTransaction("a", "1"));
			this.spring.find("a");
			status.setRollbackOnly();
		});
		this.spring.whileLoading(() -> {
		});
		assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
	}

	@Test
	@FirstRun
	void applicationGoesOnWithoutRedis() {
		this.spring.find("a");
		this.application.close();
		try (CacheApplication alone = CacheApplication.start(SpringBalances.Configuration.class,
				new String[] { "spring.data.redis.port=1" }, "jdbc:h2:mem:alone;DB_CLOSE_DELAY=-1",
				"ge.redis.outage.command-timeout=100ms")) {
			alone.balances().insert("a", "5");
			SpringBalances desk = alone.bean(SpringBalances.class);
			assertThat(desk.find("a")).isEqualTo(alone.balances().stored("a"));
			assertThat(desk.findInSync("a")).isEqualTo(alone.balances().stored("a"));
			desk.add("a", "1");
			desk.addAndEvict("a", "1");
			assertThat(desk.findLater("a").join().amount()).isEqualTo(new BigDecimal("7.00"));
			assertThat(desk.loads()).hasValue(3);
		}
	}

	/**
	 * Work that may fail.
	 */
	private interface Work {

		void run() throws Exception;

	}

}
