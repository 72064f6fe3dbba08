// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.cache.internal.OpenMisses;
import io.ge.redis.cache.internal.SpringCache;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueRetrievalException;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Spring's caches in code.
 */
@Wide
@OnRedis
class SpringCacheInCodeIntegrationTests {

	private static final Balance OTHER = new Balance("a", new BigDecimal("7.00"), 7);

	private RedisFixture redis;

	private RedisEndpoint server;

	private CacheApplication application;

	private Balances balances;

	private Cache cache;

	@BeforeEach
	void start(RedisFixture redis) {
		this.redis = redis;
		this.server = redis.endpoints().get(0);
		use(SpringBalances.start(redis.properties(), "ge.redis.cache.load-wait=10m", "ge.redis.cache.lease-time=10m",
				"ge.redis.cache.caches.typed.type=" + Balance.class.getName(),
				"ge.redis.cache.caches.lists.type=java.util.List<" + Balance.class.getName() + ">"));
	}

	private void use(CacheApplication started) {
		this.application = started;
		this.balances = started.balances();
		this.cache = started.bean(CacheManager.class).getCache("balances");
		this.balances.insert("a", "100");
		started.events().takeResults();
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private boolean isStored() {
		return Long.valueOf(1).equals(this.server.command("EXISTS", "ge:cache:{balances:a}:e1"));
	}

	private boolean isValue() {
		Object type = this.server.command("STRLEN", "ge:cache:{balances:a}:e1");
		return type instanceof Long length && length > 40;
	}

	private static <T> T elsewhere(Callable<T> call) throws Exception {
		CompletableFuture<T> result = new CompletableFuture<>();
		new Thread(() -> {
			try {
				result.complete(call.call());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}, "elsewhere").start();
		return result.get(30, TimeUnit.SECONDS);
	}

	/**
	 * What is loaded in a transaction is stored only if the versions of the cache were
	 * looked at before.
	 */
	private void lookAtVersions() {
		this.application.caches().get("balances", "other", Balance.class, () -> OTHER);
	}

	private OpenMisses openMisses() {
		return ((SpringCache) this.cache).parts().misses();
	}

	@Test
	void whatIsPutAfterAGetIsStored() throws Exception {
		assertThat(this.cache.get("a")).isNull();
		this.cache.put("a", this.balances.stored("a"));
		assertThat(openMisses().size()).isZero();
		assertThat(this.cache.get("a").get()).isEqualTo(this.balances.stored("a"));
		assertThat(this.cache.get("a", Balance.class)).isEqualTo(this.balances.stored("a"));
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(this.balances.loads()).hasValue(0);
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "hit", "hit", "hit");
	}

	@Test
	void absenceThatIsPutIsFound() {
		assertThat(this.cache.get("none")).isNull();
		this.cache.put("none", null);
		assertThat(this.cache.get("none")).isNotNull().extracting(Cache.ValueWrapper::get).isNull();
		assertThat(this.cache.get("none", Balance.class)).isNull();
	}

	@Test
	void whatIsPutWithoutAGetIsStored() {
		this.balances.find("a");
		this.cache.put("a", OTHER);
		assertThat(this.balances.find("a")).isEqualTo(OTHER);
		this.cache.put("a", new Balance("a", BigDecimal.TEN, 8));
		assertThat(this.cache.get("a", Balance.class).version()).isEqualTo(8);
		assertThat(this.application.events().takeResults()).contains("published");
	}

	@Test
	void whatIsPutInATransactionIsPublishedAfterItsCommit() {
		this.balances.find("a");
		this.application.transaction().executeWithoutResult((status) -> {
			this.cache.put("a", OTHER);
			assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
		});
		assertThat(this.balances.find("a")).isEqualTo(OTHER);
		this.application.transaction().executeWithoutResult((status) -> {
			this.cache.put("a", new Balance("a", BigDecimal.TEN, 8));
			status.setRollbackOnly();
		});
		assertThat(this.balances.find("a")).isEqualTo(OTHER);
	}

	@Test
	void leaseThatAWriterTookRemovesTheEntry() {
		assertThat(this.cache.get("a")).isNull();
		Balance old = this.balances.stored("a");
		CompletableFuture.runAsync(() -> this.balances.add("a", "1")).join();
		assertThat(isStored()).isTrue();
		this.cache.put("a", old);
		assertThat(isStored()).isFalse();
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void leaseThatHasEndedNeverPublishesWhatWasLoaded(RedisFixture redis) {
		this.application.close();
		use(SpringBalances.start(redis.properties(), "ge.redis.cache.lease-time=1ms"));
		lookAtVersions();
		this.application.transaction().executeWithoutResult((status) -> {
			assertThat(this.cache.get("a")).isNull();
			Balance old = this.balances.stored("a");
			CompletableFuture.runAsync(() -> this.balances.add("a", "1")).join();
			// Leases are those of a thread
			Awaitility.await()
				.pollInSameThread()
				.until(() -> openMisses().find(new CacheKey("balances", List.of("a")), new Object()) == null);
			this.cache.put("a", old);
		});
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.application.events().takeResults()).contains("invalidated");
	}

	@Test
	void threadDoesNotWaitForItself() throws Exception {
		elsewhere(() -> {
			assertThat(this.cache.get("a")).isNull();
			assertThat(this.cache.get("a")).isNull();
			assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
			assertThat(this.application.caches().get("balances", "a", Balance.class, () -> OTHER))
				.isEqualTo(this.balances.stored("a"));
			assertThat(this.cache.<Balance>get("a", () -> OTHER)).isEqualTo(this.balances.stored("a"));
			// The same as stands
			this.cache.put("a", this.balances.stored("a"));
			assertThat(isValue()).isTrue();
			return null;
		});
		assertThat(elsewhere(() -> this.cache.get("a").get())).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void valueThatWasLoadedBeforeASecondGetIsNotStoredByItsLease() {
		assertThat(this.cache.get("a")).isNull();
		Balance old = this.balances.stored("a");
		CompletableFuture.runAsync(() -> this.balances.add("a", "1")).join();
		this.server.command("DEL", "ge:cache:{balances:a}:e1");
		assertThat(this.cache.get("a")).isNull();
		this.cache.put("a", old);
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void leaseThatNobodyUsesEnds(RedisFixture redis) throws Exception {
		this.application.close();
		use(SpringBalances.start(redis.properties(), "ge.redis.cache.load-wait=10m",
				"ge.redis.cache.lease-time=200ms"));
		assertThat(this.cache.get("a")).isNull();
		// The lease of whoever loads then is as short, and may end before it has stored
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
			assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
			return this.cache.get("a") != null;
		});
	}

	@Test
	void valueOfATransactionThatHasWrittenIsNotStoredBeforeItsCommit() {
		lookAtVersions();
		this.application.transaction().executeWithoutResult((status) -> {
			assertThat(this.cache.get("a")).isNull();
			this.balances.addInCallersTransaction("a", "1");
			this.cache.put("a", this.balances.stored("a"));
			assertThat(isValue()).isFalse();
			status.setRollbackOnly();
		});
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void whatIsPutInsideOfAWriterIsNotStored(RedisFixture redis) {
		this.application.close();
		use(SpringBalances.start(redis.properties()));
		assertThat(this.cache.get("a")).isNull();
		this.application.caches().write("balances", "a", () -> {
			this.cache.put("a", OTHER);
			assertThat(isValue()).isFalse();
			return OTHER;
		});
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void whatIsPutInATransactionThatHasAskedIsStoredAfterItsCommit() throws Exception {
		lookAtVersions();
		this.application.transaction().executeWithoutResult((status) -> {
			assertThat(this.cache.get("a")).isNull();
			this.balances.addOutsideOfCache("a", "1");
			this.cache.put("a", OTHER);
			this.cache.put("a", this.balances.stored("a"));
			assertThat(isValue()).isFalse();
			assertThat(this.cache.get("a")).isNull();
		});
		assertThat(openMisses().size()).isZero();
		assertThat(elsewhere(() -> this.cache.get("a").get())).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void whatIsPutInATransactionThatIsRolledBackIsNotStored() throws Exception {
		lookAtVersions();
		this.application.transaction().executeWithoutResult((status) -> {
			assertThat(this.cache.get("a")).isNull();
			this.balances.addOutsideOfCache("a", "1");
			this.cache.put("a", this.balances.stored("a"));
			status.setRollbackOnly();
		});
		assertThat(openMisses().size()).isZero();
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void whatIsPutInASavepointThatIsRolledBackIsNotStored() throws Exception {
		lookAtVersions();
		this.application.transaction().executeWithoutResult((status) -> {
			assertThat(this.cache.get("a")).isNull();
			Object savepoint = status.createSavepoint();
			this.balances.addOutsideOfCache("a", "1");
			this.cache.put("a", this.balances.stored("a"));
			status.rollbackToSavepoint(savepoint);
		});
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void whatReplacesAPutValueInASavepointThatIsRolledBackIsNotStored() throws Exception {
		lookAtVersions();
		// The first time takes so long that the age of the transaction is in doubt
		assertThat(this.cache.get("warm")).isNull();
		this.application.transaction().executeWithoutResult((status) -> {
			assertThat(this.cache.get("a")).isNull();
			this.balances.addOutsideOfCache("a", "1");
			this.cache.put("a", this.balances.stored("a"));
			Object savepoint = status.createSavepoint();
			this.balances.addOutsideOfCache("a", "1");
			this.cache.put("a", this.balances.stored("a"));
			status.rollbackToSavepoint(savepoint);
		});
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void whatATransactionHasOnlyReadIsNoChange() throws Exception {
		lookAtVersions();
		TransactionTemplate reading = this.application.transaction();
		reading.setReadOnly(true);
		reading.executeWithoutResult((status) -> {
			Balance old = this.balances.stored("a");
			CompletableFuture.runAsync(() -> this.balances.add("a", "1")).join();
			this.cache.put("a", old);
		});
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void leaseOfAnInnerTransactionIsNotForWhatAnOuterOneSees() throws Exception {
		lookAtVersions();
		TransactionTemplate outer = this.application.transaction();
		outer.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		TransactionTemplate inner = this.application.transaction();
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		outer.executeWithoutResult((status) -> {
			Balance old = this.balances.stored("a");
			CompletableFuture.runAsync(() -> this.balances.add("a", "1")).join();
			this.server.command("DEL", "ge:cache:{balances:a}:e1");
			// Else the change may belong to the millisecond in which the inner one begins
			CacheContract.await(CacheReadingIntegrationTests.passing(20));
			inner.executeWithoutResult((none) -> assertThat(this.cache.get("a")).isNull());
			this.cache.put("a", old);
		});
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void putIfAbsentStoresOnlyWhereNothingIs() throws Exception {
		assertThat(this.cache.putIfAbsent("a", OTHER)).isNull();
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(OTHER);
		assertThat(this.cache.putIfAbsent("a", this.balances.stored("a"))).isNotNull()
			.extracting(Cache.ValueWrapper::get)
			.isEqualTo(OTHER);
	}

	@Test
	void putIfAbsentStoresWhatWasLoadedByALease() throws Exception {
		assertThat(this.cache.get("a")).isNull();
		Balance stored = this.balances.stored("a");
		assertThat(this.cache.putIfAbsent("a", stored)).isNull();
		assertThat(elsewhere(() -> this.cache.get("a").get())).isEqualTo(stored);
	}

	@Test
	void evictionsInATransaction() {
		this.balances.find("a");
		this.application.transaction().executeWithoutResult((status) -> {
			this.cache.evict("a");
			assertThat(isStored()).isTrue();
		});
		assertThat(isStored()).isFalse();
		this.balances.find("a");
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.addOutsideOfCache("a", "1");
			assertThat(this.cache.evictIfPresent("a")).as("nobody knows").isFalse();
			assertThat(isStored()).isFalse();
			CompletableFuture.runAsync(() -> this.balances.find("a")).join();
		});
		assertThat(this.balances.find("a")).as("not what was stored before the commit")
			.isEqualTo(this.balances.stored("a"));
	}

	@Test
	void evictionEndsTheLeaveToPut() throws Exception {
		for (Consumer<Cache> evict : List.<Consumer<Cache>>of((used) -> used.evict("a"),
				(used) -> used.evictIfPresent("a"))) {
			assertThat(this.cache.get("a")).isNull();
			assertThat(openMisses().size()).isOne();
			evict.accept(this.cache);
			assertThat(openMisses().size()).isZero();
			assertThat(elsewhere(() -> this.balances.find("a"))).as("waits for nobody")
				.isEqualTo(this.balances.stored("a"));
			this.cache.put("a", OTHER);
			assertThat(isStored()).as("a change").isTrue();
			this.cache.evict("a");
		}
	}

	@Test
	void clearAndInvalidate() {
		this.balances.find("a");
		this.application.transaction().executeWithoutResult((status) -> {
			this.cache.clear();
			assertThat(CompletableFuture.supplyAsync(() -> this.balances.find("a")).join()).isNotNull();
			assertThat(this.balances.loads()).hasValue(1);
		});
		this.balances.find("a");
		assertThat(this.balances.loads()).hasValue(2);
		this.application.transaction().executeWithoutResult((status) -> {
			assertThat(this.cache.invalidate()).as("nobody knows").isFalse();
			CompletableFuture.runAsync(() -> this.balances.find("a")).join();
			assertThat(this.balances.loads()).hasValue(3);
		});
		this.balances.find("a");
		assertThat(this.balances.loads()).as("once more after the commit").hasValue(4);
	}

	@Test
	void getWithALoader() {
		assertThat(this.cache.get("a", () -> this.balances.stored("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(this.cache.<Balance>get("a", () -> OTHER)).isEqualTo(this.balances.stored("a"));
		Exception failure = new Exception("no database");
		assertThatExceptionOfType(ValueRetrievalException.class).isThrownBy(() -> this.cache.get("b", () -> {
			throw failure;
		})).withCause(failure).satisfies((ex) -> assertThat(ex.getKey()).isEqualTo("b"));
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "hit", "miss",
				"load_failed");
	}

	@Test
	void typesComeFromPropertiesOrFromTheCall() {
		CacheManager manager = this.application.bean(CacheManager.class);
		Cache typed = manager.getCache("typed");
		assertThat(typed.get("a")).isNull();
		typed.put("a", OTHER);
		assertThat(typed.get("a").get()).isEqualTo(OTHER);
		Cache lists = manager.getCache("lists");
		assertThat(lists.get("a")).isNull();
		lists.put("a", List.of(OTHER));
		assertThat(lists.get("a").get()).isEqualTo(List.of(OTHER));
		Cache unknown = manager.getCache("unknown");
		assertThat(unknown.get("a")).isNull();
		assertThat(unknown.get("a", Object.class)).isNull();
		assertThat(unknown.get("a", Balance.class)).isNull();
		unknown.put("a", OTHER);
		assertThat(unknown.get("a").get()).isEqualTo(OTHER);
		assertThatIllegalStateException().isThrownBy(() -> unknown.get("a", String.class))
			.withMessageContaining("not a java.lang.String");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.application.caches().get("typed", "a", String.class, () -> ""))
			.withMessageContaining("Cache 'typed' holds " + Balance.class.getName());
	}

	@Test
	void keysOfSeveralParts() {
		assertThat(this.cache.get(new SimpleKey("a", "b"))).isNull();
		this.cache.put(List.of("a", "b"), OTHER);
		assertThat(this.application.caches()
			.get("balances", List.of("a", "b"), Balance.class, () -> this.balances.stored("a"))).isEqualTo(OTHER);
		assertThat(this.cache.get(List.of("a, b"))).isNull();
	}

	@Test
	void namesAndNativeCache() {
		CacheManager manager = this.application.bean(CacheManager.class);
		manager.getCache("used");
		assertThat(manager.getCacheNames()).contains("used", "typed", "balances")
			.allSatisfy((name) -> assertThat(manager.getCache(name).getName()).isEqualTo(name));
		assertThat(manager.getCache("used")).isSameAs(manager.getCache("used"));
		assertThat(this.cache.getNativeCache()).isInstanceOf(GeCaches.class);
	}

	@Test
	void retrieve() throws Exception {
		assertThat(this.cache.retrieve("a").get(30, TimeUnit.SECONDS)).isNull();
		// Nothing ties a later put to it
		assertThat(elsewhere(() -> this.balances.find("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(this.cache.retrieve("a").get(30, TimeUnit.SECONDS)).isInstanceOfSatisfying(Cache.ValueWrapper.class,
				(found) -> assertThat(found.get()).isEqualTo(this.balances.stored("a")));
	}

	@Test
	void retrieveWithALoader() throws Exception {
		Supplier<CompletableFuture<Balance>> loader = () -> CompletableFuture
			.supplyAsync(() -> this.balances.stored("a"));
		assertThat(this.cache.retrieve("a", loader).get(30, TimeUnit.SECONDS)).isEqualTo(this.balances.stored("a"));
		assertThat(this.cache.retrieve("a", () -> CompletableFuture.completedFuture(OTHER)).get(30, TimeUnit.SECONDS))
			.isEqualTo(this.balances.stored("a"));
		IllegalStateException failure = new IllegalStateException("no database");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(
				() -> this.cache.retrieve("b", () -> CompletableFuture.failedFuture(failure)).get(30, TimeUnit.SECONDS))
			.withCause(failure);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> this.cache.retrieve("b", () -> {
			throw failure;
		}).get(30, TimeUnit.SECONDS)).withCause(failure);
		assertThat(this.cache.retrieve("b", loader).get(30, TimeUnit.SECONDS)).isEqualTo(this.balances.stored("a"));
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "hit", "miss",
				"load_failed", "miss", "load_failed", "miss", "loaded");
	}

	@Test
	void retrieveGoesOnOnNoThreadOfTheDriver() throws Exception {
		List<String> threads = new CopyOnWriteArrayList<>();
		CompletableFuture<Void> asked = new CompletableFuture<>();
		CompletableFuture<Void> loading = new CompletableFuture<>();
		letAnswersBeSlow();
		CompletableFuture<Balance> first = this.cache.retrieve("a", () -> {
			threads.add(Thread.currentThread().getName());
			asked.complete(null);
			return loading.thenApply((none) -> this.balances.stored("a"));
		});
		CompletableFuture<Void> told = first.thenAccept((value) -> threads.add(Thread.currentThread().getName()));
		asked.get(30, TimeUnit.SECONDS);
		// In another flight, whose answer comes when the first one's value does
		CompletableFuture<Void> second = this.cache.retrieve("a", () -> CompletableFuture.completedFuture(OTHER))
			.thenAccept((value) -> threads.add(Thread.currentThread().getName()));
		letAnswersBeSlow();
		loading.complete(null);
		told.get(30, TimeUnit.SECONDS);
		second.get(30, TimeUnit.SECONDS);
		letAnswersBeSlow();
		this.cache.retrieve("a")
			.thenAccept((value) -> threads.add(Thread.currentThread().getName()))
			.get(30, TimeUnit.SECONDS);
		// On this one if an answer was there at once nevertheless
		assertThat(threads).hasSize(4)
			.allSatisfy((name) -> assertThat(name).matches("ge-redis-call|" + Thread.currentThread().getName()));
	}

	private void letAnswersBeSlow() {
		this.server.command("CLIENT", "PAUSE", "100");
	}

	@Test
	void retrieveJudgesByTheTransactionOfItsCaller() throws Exception {
		TransactionTemplate reading = this.application.transaction();
		reading.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		reading.executeWithoutResult((status) -> {
			Balance old = this.balances.stored("a");
			CompletableFuture.runAsync(() -> this.balances.add("a", "1")).join();
			this.server.command("DEL", "ge:cache:{balances:a}:e1");
			assertThat(this.cache.retrieve("a", () -> CompletableFuture.completedFuture(old)).join()).isEqualTo(old);
		});
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void countsWhatIsDoneThroughSpring() {
		SpringCache counted = (SpringCache) this.application.bean(CacheManager.class).getCache("balances");
		assertCounts(counted, () -> counted.get("a"), 0, 1, 0, 0);
		assertCounts(counted, () -> counted.put("a", OTHER), 0, 0, 1, 0);
		assertCounts(counted, () -> counted.get("a"), 1, 0, 0, 0);
		assertCounts(counted, () -> counted.get("a", () -> OTHER), 1, 0, 0, 0);
		assertCounts(counted, () -> counted.get("b", () -> OTHER), 0, 1, 0, 0);
		assertCounts(counted, () -> counted.retrieve("a").join(), 1, 0, 0, 0);
		assertCounts(counted, () -> counted.retrieve("c").join(), 0, 1, 0, 0);
		Supplier<CompletableFuture<Balance>> loader = () -> CompletableFuture.completedFuture(OTHER);
		assertCounts(counted, () -> counted.retrieve("d", loader).join(), 0, 1, 0, 0);
		assertCounts(counted, () -> counted.retrieve("d", loader).join(), 1, 0, 0, 0);
		assertCounts(counted, () -> counted.putIfAbsent("d", OTHER), 1, 0, 0, 0);
		assertCounts(counted, () -> counted.putIfAbsent("e", OTHER), 0, 1, 1, 0);
		assertCounts(counted, () -> counted.evict("a"), 0, 0, 0, 1);
		assertCounts(counted, () -> counted.evictIfPresent("a"), 0, 0, 0, 1);
		assertCounts(counted, counted::clear, 0, 0, 0, 1);
		assertCounts(counted, counted::invalidate, 0, 0, 0, 1);
	}

	private static void assertCounts(SpringCache counted, Runnable work, long hits, long misses, long puts,
			long removals) {
		List<Long> before = List.of(counted.hits(), counted.misses(), counted.puts(), counted.removals());
		work.run();
		assertThat(List.of(counted.hits(), counted.misses(), counted.puts(), counted.removals())).containsExactly(
				before.get(0) + hits, before.get(1) + misses, before.get(2) + puts, before.get(3) + removals);
	}

}
