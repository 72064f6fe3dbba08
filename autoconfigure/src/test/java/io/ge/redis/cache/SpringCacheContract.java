// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.test.RedisFixture;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.CachePut;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What Spring's own annotations and its caches in code do on every Redis, seen by two
 * instances. Who waits for what nobody brings waits for longer than any test.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SpringCacheContract {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private RedisFixture redis;

	private CacheApplication application;

	private CacheApplication other;

	private SpringBalances spring;

	private SpringBalances theirs;

	private final AtomicInteger numbers = new AtomicInteger();

	@BeforeAll
	void start(RedisFixture redis) {
		this.redis = redis;
		this.application = SpringBalances.start(Configuration.class, redis.properties(), properties());
		this.other = CacheApplication
			.start(Configuration.class, redis.properties(), this.application.database(), properties())
			.connected();
		this.spring = this.application.bean(SpringBalances.class);
		this.theirs = this.other.bean(SpringBalances.class);
		for (CacheApplication each : List.of(this.application, this.other)) {
			lookAtVersions(each.bean(SpringBalances.class), each.bean(Shelf.class));
		}
		// So that later counts are free of repetitions, on each node of a cluster
		for (int i = 0; i < 30; i++) {
			this.spring.find("none" + i);
			this.spring.add("none" + i, "0");
		}
	}

	// A first look after everything was flushed would make all entries outdated
	private static void lookAtVersions(SpringBalances balances, Shelf shelf) {
		balances.find("nobody");
		balances.findOptional("nobody");
		balances.findFlux("nobody", "else").collectList().block(PATIENCE);
		balances.pair("no", "body");
		shelf.next("nothing");
		shelf.brief("nobody");
		shelf.near("nobody");
	}

	private static String[] properties() {
		return new String[] { "ge.redis.cache.load-wait=10m", "ge.redis.cache.lease-time=10m",
				"ge.redis.cache.early-refresh.mode=off", "ge.redis.cache.caches.brief.ttl=1ms",
				"ge.redis.cache.caches.brief.stale-if-error=10m", "ge.redis.cache.caches.near.near.enabled=true" };
	}

	@AfterAll
	void stop() {
		this.other.close();
		this.application.close();
	}

	@BeforeEach
	void prepare() {
		for (CacheApplication each : List.of(this.application, this.other)) {
			SpringBalances used = each.bean(SpringBalances.class);
			used.whileLoading(() -> {
			});
			used.executor((task) -> new Thread(task, "loader").start());
			used.loads().set(0);
			each.events().takeResults();
		}
	}

	private String newId() {
		String id = "id" + this.numbers.incrementAndGet();
		this.application.balances().insert(id, "100");
		return id;
	}

	private @Nullable Balance stored(String id) {
		return this.application.balances().stored(id);
	}

	private int loads() {
		return this.spring.loads().get() + this.theirs.loads().get();
	}

	private static <T> CompletableFuture<T> inItsOwnThread(Supplier<T> work) {
		return CompletableFuture.supplyAsync(work, (task) -> new Thread(task).start());
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	/**
	 * All ways to read an entry of the same cache.
	 */
	private static List<Function<String, Balance>> readers(SpringBalances used) {
		return List.of(used::find, used::findInSync, (id) -> used.findLater(id).join(),
				(id) -> used.findLaterInSync(id).join(), (id) -> used.findMono(id).block(PATIENCE),
				(id) -> used.findMonoInSync(id).block(PATIENCE));
	}

	// Readers

	@Test
	void missIsLoadedOnceAtTwoCallsAndHitCostsOne() {
		// Who gets a promise does not wait until the value is stored
		for (Function<String, Balance> reader : List.<Function<String, Balance>>of(this.spring::find,
				this.spring::findInSync)) {
			awaitRest(() -> {
				String id = newId();
				this.spring.loads().set(0);
				this.application.events().takeResults();
				assertThat(calls(() -> reader.apply(id))).as("one more through a driver that cannot send the command")
					.isBetween(2L, 3L);
				assertThat(calls(() -> assertThat(reader.apply(id)).isEqualTo(stored(id))))
					.as("one through a driver that cannot send the command")
					.isLessThanOrEqualTo(1);
				assertThat(this.application.events().takeResults()).containsExactly("miss", "loaded", "hit");
				assertThat(this.spring.loads()).hasValue(1);
			});
		}
	}

	// What another test has done later may still be under way
	private static void awaitRest(ThrowingRunnable counts) {
		Awaitility.await().atMost(PATIENCE).untilAsserted(counts);
	}

	private long calls(Runnable work) {
		this.redis.configResetStat();
		work.run();
		return this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval");
	}

	@Test
	void valueIsLoadedOnceHoweverItIsRead() {
		for (Function<String, Balance> reader : readers(this.spring)) {
			String id = newId();
			assertThat(reader.apply(id)).isEqualTo(stored(id));
			assertThat(this.theirs.find(id)).isEqualTo(stored(id));
			assertThat(reader.apply(id)).isEqualTo(stored(id));
		}
		assertThat(loads()).isEqualTo(readers(this.spring).size());
	}

	@Test
	void entryIsTheSameForAllReadersAndInstances() {
		String id = newId();
		this.spring.find(id);
		readers(this.spring).forEach((reader) -> assertThat(reader.apply(id)).isEqualTo(stored(id)));
		readers(this.theirs).forEach((reader) -> assertThat(reader.apply(id)).isEqualTo(stored(id)));
		assertThat(this.other.balances().find(id)).isEqualTo(stored(id));
		assertThat(loads() + this.other.balances().loads().get()).isEqualTo(1);
	}

	@Test
	void absenceIsCached() {
		for (int i = 0; i < 2; i++) {
			assertThat(this.spring.find("none")).isNull();
			assertThat(this.theirs.findInSync("none")).isNull();
			assertThat(this.theirs.findLater("none").join()).isNull();
			assertThat(this.spring.findOptional("none")).isEmpty();
		}
		assertThat(loads()).isEqualTo(2);
	}

	@Test
	void listsAndKeysOfSeveralPartsAreCached() {
		String id = newId();
		// From here on both know the type
		String known = newId();
		this.spring.findFlux(known).collectList().block(PATIENCE);
		this.theirs.findFlux(known).collectList().block(PATIENCE);
		prepare();
		assertThat(this.spring.findFlux(id, "none").collectList().block(PATIENCE)).containsExactly(stored(id));
		assertThat(this.theirs.findFlux(id, "none").collectList().block(PATIENCE)).containsExactly(stored(id));
		assertThat(this.spring.pair(id + "{a}, b", "c")).isEqualTo(this.theirs.pair(id + "{a}, b", "c"));
		assertThat(this.spring.pair(id + "{a}", "b, c")).isEqualTo(this.theirs.pairOfOurs(id + "{a}", "b, c"));
		assertThat(loads()).as("two rows and two pairs").isEqualTo(4);
	}

	@Test
	void othersWaitForTheOneWhoLoadsWhereverTheyAre() throws Exception {
		String id = newId();
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.spring.whileLoading(() -> {
			loading.countDown();
			CacheContract.await(release);
		});
		CompletableFuture<Balance> loader = inItsOwnThread(() -> this.spring.findInSync(id));
		CacheContract.await(loading);
		this.redis.configResetStat();
		List<CompletableFuture<Balance>> waiting = List.of(inItsOwnThread(() -> this.spring.findInSync(id)),
				this.spring.findLater(id), inItsOwnThread(() -> this.theirs.find(id)), this.theirs.findLaterInSync(id));
		Awaitility.await("another instance waits").atMost(PATIENCE).until(() -> this.redis.commandCalls("sadd") > 0);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		release.countDown();
		assertThat(get(loader)).isEqualTo(stored(id));
		for (CompletableFuture<Balance> each : waiting) {
			assertThat(get(each)).isEqualTo(stored(id));
		}
		assertThat(loads()).isEqualTo(1);
	}

	@Test
	void leaseIsGivenBackWhenTheMethodFails() {
		for (Function<String, Balance> reader : readers(this.spring)) {
			String id = newId();
			this.spring.whileLoading(() -> {
				throw new IllegalStateException("no database");
			});
			assertThatException().isThrownBy(() -> reader.apply(id)).withStackTraceContaining("no database");
			this.spring.whileLoading(() -> {
			});
			assertThat(this.theirs.find(id)).isEqualTo(stored(id));
		}
	}

	@Test
	void readerThatLoadedBeforeAWriteDoesNotStoreTheOldValue() {
		for (Function<String, Balance> reader : readers(this.spring)) {
			String id = newId();
			Balance before = stored(id);
			this.spring.whileLoading(() -> {
				this.spring.whileLoading(() -> {
				});
				inItsOwnThread(() -> this.theirs.add(id, "1")).join();
			});
			assertThat(reader.apply(id)).isEqualTo(before);
			assertThat(this.spring.find(id)).isEqualTo(stored(id)).isNotEqualTo(before);
			assertThat(this.theirs.find(id)).isEqualTo(stored(id));
		}
	}

	@Test
	void expiredValueStandsInForOneThatCannotBeLoaded() {
		Shelf shelf = this.application.bean(Shelf.class);
		List<Function<String, String>> readers = List.of(shelf::briefInSync, (id) -> shelf.briefLaterInSync(id).join());
		for (Function<String, String> reader : readers) {
			String id = newId();
			shelf.next("old");
			assertThat(reader.apply(id)).isEqualTo("old");
			shelf.next(null);
			Awaitility.await("it has expired").atMost(PATIENCE).until(() -> {
				this.application.events().takeResults();
				assertThat(reader.apply(id)).isEqualTo("old");
				return this.application.events().takeResults().contains("stale");
			});
			this.application.caches().evict("brief", id);
			assertThatException().isThrownBy(() -> reader.apply(id)).withStackTraceContaining("no database");
		}
	}

	// Writers

	@Test
	void putIsPublishedAfterTheCommit() {
		awaitRest(() -> {
			String id = newId();
			this.spring.find(id);
			this.application.events().takeResults();
			assertThat(calls(() -> this.spring.add(id, "1"))).isEqualTo(2);
			assertThat(this.application.events().takeResults()).containsExactly("published");
		});
		String id = newId();
		this.spring.find(id);
		this.spring.add(id, "1");
		this.spring.loads().set(0);
		readers(this.spring).forEach((reader) -> assertThat(reader.apply(id)).isEqualTo(stored(id)));
		readers(this.theirs).forEach((reader) -> assertThat(reader.apply(id)).isEqualTo(stored(id)));
		assertThat(stored(id).version()).isEqualTo(1);
		assertThat(loads()).isZero();
	}

	@Test
	void rolledBackWriterCostsNothingAndChangesNothing() {
		String id = newId();
		Balance before = this.spring.find(id);
		awaitRest(() -> assertThat(calls(() -> {
			assertThatIllegalStateException().isThrownBy(() -> this.spring.addAndFail(id, "1"));
			this.application.transaction().executeWithoutResult((status) -> {
				this.spring.addAndEvictInCallersTransaction(id, "1");
				status.setRollbackOnly();
			});
		})).isZero());
		assertThat(this.theirs.find(id)).isEqualTo(before).isEqualTo(stored(id));
		assertThat(loads()).isEqualTo(1);
	}

	@Test
	void transactionReadsWhatItHasWrittenAndOthersWhatStands() {
		String id = newId();
		Balance before = this.spring.find(id);
		this.application.transaction().executeWithoutResult((status) -> {
			this.spring.addInCallersTransaction(id, "1");
			assertThat(this.spring.find(id).amount()).isEqualTo(new BigDecimal("101.00"));
			assertThat(this.spring.findInSync(id).amount()).isEqualTo(new BigDecimal("101.00"));
			assertThat(inItsOwnThread(() -> this.theirs.find(id)).join()).isEqualTo(before);
		});
		assertThat(this.theirs.find(id).amount()).isEqualTo(new BigDecimal("101.00"));
	}

	@Test
	void whateverIsEvictedIsNotReadAnyMore() {
		List<BiConsumer<SpringBalances, String>> writers = List.of((used, id) -> used.addAndEvict(id, "1"),
				(used, id) -> used.evictAndAdd(id, "1"), (used, id) -> used.addByResult(id, "1"),
				(used, id) -> used.addEverywhere(id, "1"));
		for (BiConsumer<SpringBalances, String> writer : writers) {
			String id = newId();
			this.theirs.find(id);
			writer.accept(this.spring, id);
			assertThat(this.theirs.find(id)).isEqualTo(this.spring.find(id)).isEqualTo(stored(id));
			assertThat(stored(id).version()).isEqualTo(1);
		}
	}

	@Test
	void entryThatIsEvictedBeforeTheMethodGoesAtOnceAndOnceMore() {
		String id = newId();
		this.spring.find(id);
		this.spring.afterChange(() -> assertThat(inItsOwnThread(() -> this.theirs.find(id)).join().version())
			.as("loaded anew before the commit")
			.isZero());
		this.spring.evictAndAdd(id, "1");
		this.spring.afterChange(() -> {
		});
		assertThat(this.theirs.loads()).hasValue(1);
		assertThat(this.theirs.find(id).version()).isEqualTo(1);
	}

	@Test
	void allEntriesAreEvictedOnAllInstances() {
		List<String> ids = List.of(newId(), newId(), newId());
		List<BiConsumer<SpringBalances, String>> writers = List.of((used, id) -> used.addAndClear(id, "1"),
				(used, id) -> used.clearAndAdd(id, "1"), (used, id) -> cache(this.application).clear());
		for (BiConsumer<SpringBalances, String> writer : writers) {
			ids.forEach(this.spring::find);
			ids.forEach((id) -> this.application.balances().addOutsideOfCache(id, "1"));
			writer.accept(this.spring, ids.get(0));
			ids.forEach((id) -> assertThat(this.spring.find(id)).isEqualTo(stored(id)));
			Awaitility.await("they have heard of it")
				.atMost(PATIENCE)
				.untilAsserted(() -> ids.forEach((id) -> assertThat(this.theirs.find(id)).isEqualTo(stored(id))));
		}
		Awaitility.await("they have heard of the last one, too").atMost(PATIENCE).until(() -> {
			String id = newId();
			this.theirs.find(id);
			this.spring.loads().set(0);
			this.spring.find(id);
			return this.spring.loads().get() == 0;
		});
	}

	@Test
	void whatIsChangedLaterIsReadByThisInstanceAtOnceAndByOthersSoon() {
		List<BiConsumer<SpringBalances, String>> writers = List.of((used, id) -> used.addLater(id, "1").join(),
				(used, id) -> used.addAndEvictLater(id, "1").join(),
				(used, id) -> used.addAndEvictMono(id, "1").block(PATIENCE));
		for (BiConsumer<SpringBalances, String> writer : writers) {
			String id = newId();
			this.theirs.find(id);
			writer.accept(this.spring, id);
			assertThat(this.spring.find(id)).isEqualTo(stored(id));
			Awaitility.await("the entry is gone")
				.atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.theirs.find(id)).isEqualTo(stored(id)));
			assertThat(stored(id).version()).isEqualTo(1);
		}
	}

	// In code

	private Cache cache(CacheApplication used) {
		return used.bean(CacheManager.class).getCache("balances");
	}

	@Test
	void whatIsPutAfterAGetIsStoredUnlessSomebodyHasWritten() {
		Cache cache = cache(this.application);
		String id = newId();
		assertThat(cache.get(id)).isNull();
		cache.put(id, stored(id));
		assertThat(cache(this.other).get(id)).isNotNull().extracting(Cache.ValueWrapper::get).isEqualTo(stored(id));
		String written = newId();
		assertThat(cache.get(written)).isNull();
		Balance old = stored(written);
		inItsOwnThread(() -> this.theirs.add(written, "1")).join();
		cache.put(written, old);
		assertThat(cache(this.other).get(written, Balance.class)).isNull();
		cache(this.other).evict(written);
		assertThat(loads()).isZero();
	}

	@Test
	void whatIsPutOrEvictedInATransactionIsSeenAfterItsCommit() {
		Cache cache = cache(this.application);
		String id = newId();
		Balance before = this.spring.find(id);
		Balance put = new Balance(id, BigDecimal.TEN, 7);
		this.application.transaction().executeWithoutResult((status) -> {
			cache.put(id, put);
			assertThat(inItsOwnThread(() -> this.theirs.find(id)).join()).isEqualTo(before);
		});
		assertThat(this.theirs.find(id)).isEqualTo(put);
		this.application.transaction().executeWithoutResult((status) -> {
			cache.evict(id);
			assertThat(inItsOwnThread(() -> this.theirs.find(id)).join()).isEqualTo(put);
		});
		assertThat(this.theirs.find(id)).isEqualTo(before);
		cache.put(id, put);
		assertThat(this.theirs.find(id)).isEqualTo(put);
		assertThat(loads()).isEqualTo(2);
	}

	@Test
	void valuesAreLoadedOrRetrievedInCode() throws Exception {
		String id = newId();
		Cache cache = cache(this.application);
		assertThat(get(cache.retrieve(id))).isNull();
		assertThat(cache.get(id, () -> stored(id))).isEqualTo(stored(id));
		assertThat(get(cache(this.other).retrieve(id))).isInstanceOfSatisfying(Cache.ValueWrapper.class,
				(found) -> assertThat(found.get()).isEqualTo(stored(id)));
		String later = newId();
		assertThat(get(cache.retrieve(later, () -> inItsOwnThread(() -> stored(later))))).isEqualTo(stored(later));
		assertThat(this.theirs.find(later)).isEqualTo(stored(later));
		assertThat(loads()).isZero();
		CompletableFuture<Balance> failing = cache.retrieve("b" + id,
				() -> CompletableFuture.failedFuture(new IllegalStateException("no database")));
		assertThatException().isThrownBy(() -> get(failing)).withStackTraceContaining("no database");
		assertThat(this.theirs.find("b" + id)).as("the lease was given back").isNull();
	}

	// Memory

	@Test
	void memoryAnswersUntilAnyInstanceChangesTheEntry() throws Exception {
		Shelf shelf = this.application.bean(Shelf.class);
		Shelf others = this.other.bean(Shelf.class);
		List<Function<String, String>> readers = List.of(shelf::near, shelf::nearInSync,
				(id) -> shelf.nearLater(id).join());
		for (Function<String, String> reader : readers) {
			String id = newId();
			shelf.next("one");
			awaitNear(reader, id, "one");
			others.put(id, "two");
			Awaitility.await("it has heard").atMost(PATIENCE).until(() -> "two".equals(reader.apply(id)));
			awaitNear(reader, id, "two");
			shelf.put(id, "three");
			assertThat(reader.apply(id)).isEqualTo("three");
			awaitNear(reader, id, "three");
			shelf.next("four");
			others.evict(id);
			Awaitility.await("it has heard").atMost(PATIENCE).until(() -> "four".equals(reader.apply(id)));
			awaitNear(reader, id, "four");
			shelf.next("five");
			others.evictAll();
			Awaitility.await("it has heard").atMost(PATIENCE).until(() -> "five".equals(reader.apply(id)));
		}
	}

	private void awaitNear(Function<String, String> reader, String id, String expected) {
		Awaitility.await("from memory").atMost(PATIENCE).until(() -> {
			this.application.events().takeEvents();
			assertThat(reader.apply(id)).isEqualTo(expected);
			return this.application.events()
				.takeEvents()
				.equals(List.of(new CacheEvent.Read("near", CacheEvent.Access.HIT, CacheEvent.Tier.NEAR)));
		});
	}

	/**
	 * Values that somebody says.
	 */
	static class Shelf {

		private volatile @Nullable String next;

		void next(@Nullable String value) {
			this.next = value;
		}

		private String load() {
			String value = this.next;
			if (value == null) {
				throw new IllegalStateException("no database");
			}
			return value;
		}

		@Cacheable("brief")
		String brief(String id) {
			return load();
		}

		@Cacheable(cacheNames = "brief", sync = true)
		String briefInSync(String id) {
			return load();
		}

		@Cacheable(cacheNames = "brief", sync = true)
		CompletableFuture<String> briefLaterInSync(String id) {
			return inItsOwnThread(this::load);
		}

		@Cacheable("near")
		String near(String id) {
			return load();
		}

		@Cacheable(cacheNames = "near", sync = true)
		String nearInSync(String id) {
			return load();
		}

		@Cacheable("near")
		CompletableFuture<String> nearLater(String id) {
			return inItsOwnThread(this::load);
		}

		@CachePut(cacheNames = "near", key = "#id")
		@Transactional
		String put(String id, String value) {
			return value;
		}

		@CacheEvict("near")
		void evict(String id) {
		}

		@CacheEvict(cacheNames = "near", allEntries = true)
		void evictAll() {
		}

	}

	static class Configuration extends SpringBalances.Configuration {

		@Bean
		Shelf shelf() {
			return new Shelf();
		}

	}

}
