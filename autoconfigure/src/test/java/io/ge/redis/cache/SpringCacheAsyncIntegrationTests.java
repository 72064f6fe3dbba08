// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Methods with Spring's annotations whose value comes later.
 */
@Wide
@OnRedis
class SpringCacheAsyncIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private RedisFixture redis;

	private RedisEndpoint server;

	private CacheApplication application;

	private Balances balances;

	private SpringBalances spring;

	@BeforeEach
	void start(RedisFixture redis) {
		this.redis = redis;
		this.server = redis.endpoints().get(0);
		use(SpringBalances.start(redis.properties(), "ge.redis.cache.load-wait=10m", "ge.redis.cache.lease-time=10m"));
	}

	private void use(CacheApplication started) {
		this.application = started;
		this.balances = started.balances();
		this.spring = started.bean(SpringBalances.class);
		this.balances.insert("a", "100");
		this.spring.executor((task) -> new Thread(task, "loader").start());
		started.events().takeResults();
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
	}

	private boolean isStored() {
		return Long.valueOf(1).equals(this.server.command("EXISTS", "ge:cache:{balances:a}:e1"));
	}

	@Test
	void futureIsCached() throws Exception {
		assertThat(get(this.spring.findLater("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(get(this.spring.findLater("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(get(this.spring.findLaterInSync("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"));
		assertThat(get(this.spring.findLater("none"))).isNull();
		assertThat(get(this.spring.findLater("none"))).isNull();
		assertThat(get(this.spring.findLaterInSync("none"))).isNull();
		assertThat(this.spring.loads()).hasValue(2);
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "hit", "hit", "hit",
				"miss", "loaded", "hit", "hit");
	}

	@Test
	void futureInSyncIsCached() throws Exception {
		assertThat(get(this.spring.findLaterInSync("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(get(this.spring.findLaterInSync("a"))).isEqualTo(this.balances.stored("a"));
		assertThat(get(this.spring.findLaterInSync("none"))).isNull();
		assertThat(get(this.spring.findLaterInSync("none"))).isNull();
		assertThat(this.spring.loads()).hasValue(2);
	}

	@Test
	void leaseIsGivenBackWhenAFutureFails() throws Exception {
		IllegalStateException failure = new IllegalStateException("no database");
		for (Supplier<CompletableFuture<Balance>> reader : List.<Supplier<CompletableFuture<Balance>>>of(
				() -> this.spring.findLater("a"), () -> this.spring.findLaterInSync("a"))) {
			this.application.caches().evict("balances", "a");
			this.spring.whileLoading(() -> {
				throw failure;
			});
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(reader.get())).withCause(failure);
			this.spring.whileLoading(() -> {
			});
			assertThat(get(reader.get())).isEqualTo(this.balances.stored("a"));
		}
		this.application.caches().evict("balances", "a");
		this.spring.executor((task) -> {
			throw failure;
		});
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(this.spring.findLaterInSync("a")))
			.withCause(failure);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(this.spring.findLater("a")))
			.havingRootCause()
			.withMessage("no database");
		this.spring.executor(Runnable::run);
		assertThat(get(this.spring.findLater("a"))).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void expiredValueStandsInForAFutureThatFails(RedisFixture redis) throws Exception {
		this.application.close();
		use(SpringBalances.start(redis.properties(), "ge.redis.cache.caches.balances.ttl=1ms",
				"ge.redis.cache.caches.balances.stale-if-error=10m"));
		get(this.spring.findLater("a"));
		this.balances.addOutsideOfCache("a", "1");
		this.spring.whileLoading(() -> {
			throw new IllegalStateException("no database");
		});
		for (int i = 0; i < 3; i++) {
			assertThat(get(this.spring.findLaterInSync("a")).amount()).isEqualTo(new BigDecimal("100.00"));
		}
		this.application.caches().evict("balances", "a");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(this.spring.findLaterInSync("a")))
			.withCauseInstanceOf(IllegalStateException.class);
	}

	@Test
	void othersWaitForTheOneWhoLoadsWithoutAThread() throws Exception {
		CompletableFuture<Void> release = new CompletableFuture<>();
		CompletableFuture<Void> loading = new CompletableFuture<>();
		this.spring.whileLoading(() -> {
			loading.complete(null);
			release.join();
		});
		CompletableFuture<Balance> first = this.spring.findLaterInSync("a");
		get(loading);
		CompletableFuture<Balance> second = this.spring.findLater("a");
		CompletableFuture<Balance> third = this.spring.findLaterInSync("a");
		assertThat(List.of(first.isDone(), second.isDone(), third.isDone())).containsOnly(false);
		release.complete(null);
		assertThat(get(second)).isEqualTo(get(first)).isEqualTo(get(third)).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.loads()).hasValue(1);
	}

	@Test
	void nothingGoesOnOnAThreadOfTheDriver() throws Exception {
		List<String> threads = new CopyOnWriteArrayList<>();
		this.spring.executor((task) -> {
			threads.add(Thread.currentThread().getName());
			task.run();
		});
		for (Supplier<CompletableFuture<Balance>> reader : List.<Supplier<CompletableFuture<Balance>>>of(
				() -> this.spring.findLater("a"), () -> this.spring.findLaterInSync("a"),
				() -> this.spring.findMono("a").toFuture(), () -> this.spring.findMonoInSync("a").toFuture())) {
			this.application.caches().evict("balances", "a");
			for (int i = 0; i < 2; i++) {
				get(reader.get().thenApply((value) -> {
					threads.add(Thread.currentThread().getName());
					return value;
				}));
			}
		}
		assertThat(threads).hasSize(10)
			.allSatisfy((name) -> assertThat(name).matches("ge-redis-call|" + Thread.currentThread().getName()));
	}

	@Test
	void expiredValueIsNotHandedOutOnAThreadOfTheDriver(RedisFixture redis) throws Exception {
		this.application.close();
		use(SpringBalances.start(redis.properties(), "ge.redis.cache.max-staleness=1ms",
				"ge.redis.cache.caches.balances.ttl=1ms", "ge.redis.cache.caches.balances.stale-if-error=10m"));
		assertExpiredIsNotHandedOutByTheDriver("a", this.spring::findLaterInSync);
	}

	private void assertExpiredIsNotHandedOutByTheDriver(String id, Function<String, CompletableFuture<Balance>> reader)
			throws Exception {
		this.spring.whileLoading(() -> {
		});
		// Returns when it is stored
		this.spring.find(id);
		Awaitility.await("the value has expired")
			.until(() -> (Long) this.server.command("PTTL", "ge:cache:{balances:" + id + "}:e1") <= 600_000);
		CompletableFuture<Void> asked = new CompletableFuture<>();
		this.spring.whileLoading(() -> {
			asked.join();
			// What is known of invalidations is too old by then, and the answer is slow
			CacheContract.await(CacheReadingIntegrationTests.passing(20));
			this.server.command("CLIENT", "PAUSE", "200");
			throw new IllegalStateException("no database");
		});
		CompletableFuture<String> thread = reader.apply(id).thenApply((value) -> Thread.currentThread().getName());
		asked.complete(null);
		// On the loader's if the answer was there at once nevertheless
		assertThat(get(thread)).isIn("ge-redis-call", "loader");
		assertThat(this.application.events().takeResults()).endsWith("load_failed", "stale");
	}

	@Test
	void snapshotIsThatOfTheCaller() throws Exception {
		TransactionTemplate reading = this.application.transaction();
		reading.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		reading.executeWithoutResult((status) -> {
			assertThat(this.balances.stored("a").amount()).isEqualTo(new BigDecimal("100.00"));
			CompletableFuture.runAsync(() -> this.balances.add("a", "1")).join();
			this.server.command("DEL", "ge:cache:{balances:a}:e1");
			this.spring.findLaterInSync("a").join();
			// Until the lease is refused, nobody waits for it
			Awaitility.await().until(() -> !isStored());
			// Is put on this thread after the commit, if the value is there at once
			this.spring.findLater("a").join();
		});
		assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("101.00"));
	}

	@Test
	void readerThatLoadedBeforeAWriteDoesNotStoreTheOldValue() throws Exception {
		for (Supplier<CompletableFuture<Balance>> reader : List.<Supplier<CompletableFuture<Balance>>>of(
				() -> this.spring.findLater("a"), () -> this.spring.findLaterInSync("a"),
				() -> this.spring.findMono("a").toFuture(), () -> this.spring.findMonoInSync("a").toFuture())) {
			this.application.caches().evict("balances", "a");
			this.spring.whileLoading(() -> {
				this.spring.whileLoading(() -> {
				});
				CompletableFuture.runAsync(() -> this.spring.addAndEvict("a", "1")).join();
			});
			Balance before = this.balances.stored("a");
			assertThat(get(reader.get())).isEqualTo(before);
			assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a")).isNotEqualTo(before);
		}
	}

	@Test
	void monoIsCached() {
		assertThat(this.spring.findMono("a").block(LONG)).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.findMono("a").block(LONG)).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.findMonoInSync("a").block(LONG)).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.findMono("none").block(LONG)).isNull();
		assertThat(this.spring.findMono("none").block(LONG)).isNull();
		assertThat(this.spring.findMonoInSync("none").block(LONG)).isNull();
		assertThat(this.spring.loads()).hasValue(2);
		assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "hit", "hit", "miss",
				"loaded", "hit", "hit");
	}

	@Test
	void fluxIsCachedAsAList() {
		this.balances.insert("b", "1");
		List<Balance> both = List.of(this.balances.stored("a"), this.balances.stored("b"));
		assertThat(this.spring.findFlux("a", "b").collectList().block(LONG)).isEqualTo(both);
		assertThat(this.spring.findFlux("a", "b").collectList().block(LONG)).isEqualTo(both);
		assertThat(this.spring.loads()).hasValue(2);
	}

	@Test
	void leaseIsGivenBackWhenAPublisherFailsOrIsCancelled() {
		this.spring.whileLoading(() -> {
			throw new IllegalStateException("no database");
		});
		assertThatIllegalStateException().isThrownBy(() -> this.spring.findMono("a").block(LONG))
			.withMessage("no database");
		assertThatIllegalStateException().isThrownBy(() -> this.spring.findFlux("a", "b").collectList().block(LONG))
			.withMessage("no database");
		this.spring.whileLoading(() -> {
		});
		assertThat(this.spring.findMono("a").block(LONG)).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.findFlux("a", "b").collectList().block(LONG)).hasSize(1);
		this.application.caches().evict("balances", "a");
		CompletableFuture<Void> loading = new CompletableFuture<>();
		this.spring.whileLoading(() -> {
			this.spring.whileLoading(() -> {
			});
			loading.complete(null);
			// Is interrupted by the cancellation, or waits until nobody waits for it
			new CompletableFuture<>().orTimeout(1, TimeUnit.SECONDS).exceptionally((ex) -> null).join();
		});
		BaseSubscriber<Balance> impatient = new BaseSubscriber<>() {

			@Override
			protected void hookOnSubscribe(Subscription subscription) {
				requestUnbounded();
			}

		};
		this.spring.findMono("a").subscribe(impatient);
		loading.orTimeout(30, TimeUnit.SECONDS).join();
		impatient.cancel();
		assertThat(this.spring.findMono("a").block(LONG)).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void leaseOfAPublisherToWhichNobodySubscribesEnds(RedisFixture redis) {
		this.application.close();
		use(SpringBalances.start(redis.properties(), "ge.redis.cache.load-wait=10m",
				"ge.redis.cache.lease-time=200ms"));
		Mono<Balance> forgotten = this.spring.findMono("a");
		assertThat(forgotten).isNotNull();
		assertThat(this.spring.findMono("a").block(LONG)).isEqualTo(this.balances.stored("a"));
	}

	@Test
	void whatIsPutLaterIsFound() throws Exception {
		this.spring.find("a");
		get(this.spring.addLater("a", "1"));
		this.application.events().awaitResult("published");
		this.spring.loads().set(0);
		assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("101.00"));
		assertThat(this.spring.loads()).hasValue(0);
	}

	@Test
	void whatIsEvictedLaterIsNotReadByThisInstanceAnyMore() throws Exception {
		for (int i = 1; i < 20; i++) {
			this.spring.find("a");
			get(this.spring.addAndEvictLater("a", "1"));
			assertThat(this.spring.find("a").version()).isEqualTo(i);
		}
	}

	@Test
	void evictionOfAFutureThatIsDoneBelongsToTheTransactionOfTheCaller() {
		this.spring.executor(Runnable::run);
		this.spring.find("a");
		this.application.transaction().executeWithoutResult((status) -> {
			this.spring.addAndEvictLater("a", "1").join();
			// Another caller brings the old value back before the commit
			assertThat(CompletableFuture.supplyAsync(() -> this.balances.find("a")).join().amount())
				.isEqualTo(new BigDecimal("100.00"));
		});
		assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("101.00"));
	}

	@Test
	void publisherEvicts() {
		this.spring.find("a");
		this.spring.addAndEvictMono("a", "1").block(LONG);
		assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("101.00"));
		this.spring.addAndClearMono("a", "1").block(LONG);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.spring.find("a").amount()).isEqualTo(new BigDecimal("102.00")));
	}

	@Test
	void severalOperationsOnAFuture() throws Exception {
		this.spring.findOptional("a");
		assertThat(get(this.spring.findLaterAndEvict("a"))).isEqualTo(this.balances.stored("a"));
		// Spring tells the caller before it has put all
		awaitNoLoad(() -> assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a")));
		this.spring.loads().set(0);
		assertThat(this.spring.findOptional("a")).contains(this.balances.stored("a"));
		assertThat(this.spring.loads()).as("evicted").hasValue(1);
		get(this.spring.addEverywhereLater("a", "1"));
		awaitNoLoad(() -> assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a")));
		assertThat(this.spring.findGrouped("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.findOptional("a")).contains(this.balances.stored("a"));
	}

	private void awaitNoLoad(Runnable read) {
		Awaitility.await().untilAsserted(() -> {
			this.spring.loads().set(0);
			read.run();
			assertThat(this.spring.loads()).hasValue(0);
		});
	}

	@Test
	void waitingIsDoneByNobody() throws Exception {
		CompletableFuture<Void> release = new CompletableFuture<>();
		CompletableFuture<Void> loading = new CompletableFuture<>();
		this.spring.whileLoading(() -> {
			loading.complete(null);
			release.join();
		});
		this.spring.findLaterInSync("a");
		get(loading);
		List<CompletableFuture<Balance>> waiting = Flux.range(0, 200)
			.map((number) -> this.spring.findLater("a"))
			.collectList()
			.block(LONG);
		long threads = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("ge-redis-call"))
			.count();
		assertThat(threads).isLessThan(20);
		release.complete(null);
		for (CompletableFuture<Balance> call : waiting) {
			assertThat(get(call)).isEqualTo(this.balances.stored("a"));
		}
		assertThat(this.spring.loads()).hasValue(1);
	}

}
