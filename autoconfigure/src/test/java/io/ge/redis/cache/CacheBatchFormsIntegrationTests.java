// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.ge.redis.cache.AsyncApplication.Account;
import io.ge.redis.cache.AsyncBatches.Form;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of readers of several values that come later.
 */
@Wide
class CacheBatchFormsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final ReactiveDatabase DATABASE = ReactiveDatabase.create();

	private static AsyncApplication application;

	private static AsyncApplication other;

	private AsyncBatches batches;

	private AsyncBatches theirs;

	@BeforeAll
	static void start() {
		application = AsyncApplication.start(DATABASE, SharedRedis.standalone().properties(),
				"ge.redis.cache.caches.near.near.enabled=true");
		other = AsyncApplication.start(DATABASE, SharedRedis.standalone().properties(),
				"ge.redis.cache.caches.near.near.enabled=true");
		application.batches().self(application.batches());
		for (int i = 0; i < 50; i++) {
			DATABASE.put(id(i), i).block(LONG);
		}
		DATABASE.put("k1", 1).then(DATABASE.put("k2", 2)).block(LONG);
		for (AsyncApplication one : List.of(application, other)) {
			one.batches().findAll(ids(0, 50)).block(LONG);
			one.accounts().setInOperator(id(0), 0).block(LONG);
			one.accounts().find(id(1)).block(LONG);
			one.caches().clear("accounts");
			one.batches().findPositive(ids(0, 1)).block(LONG);
		}
	}

	@AfterAll
	static void stop() {
		application.close();
		other.close();
	}

	@BeforeEach
	void prepare() {
		this.batches = application.batches();
		this.theirs = other.batches();
		this.batches.reset();
		this.theirs.reset();
		application.accounts().afterRead((read) -> Mono.empty());
		other.accounts().afterRead((read) -> Mono.empty());
		DATABASE.put(id(1), 1).block(LONG);
		SharedRedis.standalone().flushAll();
		// Whoever finds no versions takes all entries for outdated
		for (String cache : List.of("accounts", "picked", "kept", "near", "behind")) {
			application.caches().clear(cache);
		}
		application.awaitHeardBy(other);
		SharedRedis.standalone().configResetStat();
		application.accounts().loads().set(0);
		application.events().takeResults();
		other.events().takeResults();
	}

	private static String id(int number) {
		return "id" + number;
	}

	private static List<String> ids(int from, int to) {
		return IntStream.range(from, to).mapToObj(CacheBatchFormsIntegrationTests::id).toList();
	}

	private static Account account(int number) {
		return new Account(id(number), number);
	}

	private static long calls(Runnable work) {
		SharedRedis.standalone().configResetStat();
		work.run();
		return SharedRedis.standalone().commandCalls("evalsha") + SharedRedis.standalone().commandCalls("eval");
	}

	private static void awaitNoLease() {
		Awaitility.await().atMost(LONG).until(() -> leases().isEmpty());
	}

	private static List<?> leases() {
		return ((List<?>) SharedRedis.standalone().primary().command("KEYS", "ge:cache:*:e1")).stream()
			.filter((key) -> String.valueOf(SharedRedis.standalone().primary().command("GET", key.toString()))
				.startsWith("L"))
			.toList();
	}

	@ParameterizedTest
	@EnumSource
	@FirstRun
	void missesCostTwoCallsAndHitsOne(Form form) {
		List<String> ids = ids(0, 20);
		assertThat(calls(() -> assertThat(form.find(this.batches, ids).keySet()).containsExactlyElementsOf(ids)))
			.isEqualTo(2);
		assertThat(calls(() -> assertThat(form.find(this.batches, ids)).hasSize(20).containsEntry(id(3), account(3))))
			.isEqualTo(1);
		assertThat(this.batches.loaded()).containsExactly(ids);
		assertThat(application.events().takeResults()).hasSize(41)
			.containsOnlyOnce("loaded")
			.filteredOn("hit"::equals)
			.hasSize(20);
	}

	@ParameterizedTest
	@EnumSource
	void loadsOnlyWhatIsMissingAndOthersReadIt(Form form) {
		application.accounts().find(id(1)).block(LONG);
		assertThat(form.find(this.batches, List.of(id(2), id(1), id(0)))).containsExactly(Map.entry(id(2), account(2)),
				Map.entry(id(1), account(1)), Map.entry(id(0), account(0)));
		assertThat(this.batches.loaded()).containsExactly(List.of(id(2), id(0)));
		application.accounts().find(id(0)).block(LONG);
		assertThat(application.accounts().loads()).hasValue(1);
		assertThat(form.find(this.batches, List.of())).isEmpty();
		assertThat(this.batches.loaded()).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource
	void absenceIsCachedAndNotInTheMap(Form form) {
		assertThat(form.find(this.batches, List.of("none1", id(1), "none2"))).containsOnlyKeys(id(1));
		assertThat(calls(
				() -> assertThat(form.find(this.batches, List.of("none1", id(1), "none2"))).containsOnlyKeys(id(1))))
			.isEqualTo(1);
		assertThat(this.batches.loaded()).hasSize(1);
		assertThat(application.accounts().find("none1").block(LONG)).isNull();
		assertThat(application.accounts().loads()).hasValue(0);
	}

	@Test
	void loaderThatBringsNothingHasBroughtAbsence() {
		assertThat(this.batches.findNothing(ids(0, 2)).block(LONG)).isEmpty();
		assertThat(this.batches.findAll(ids(0, 2)).block(LONG)).isEmpty();
		assertThat(this.batches.loaded()).isEmpty();
	}

	@Test
	void nothingIsAskedBeforeSubscriptionAndEachSubscriptionAsksAnew() {
		assertThat(calls(() -> assertThat(this.batches.findAll(ids(0, 2))).isNotNull())).isZero();
		Mono<Map<String, Account>> mono = this.batches.findAll(ids(0, 2));
		mono.block(LONG);
		application.caches().evict("accounts", id(1));
		mono.block(LONG);
		assertThat(this.batches.loaded()).containsExactly(ids(0, 2), List.of(id(1)));
	}

	@Test
	void conditionAndUnlessSeeTheirPart() {
		assertThat(calls(() -> this.batches.findPositive(List.of("never", id(1))).block(LONG))).isZero();
		this.batches.findPositive(ids(0, 3)).block(LONG);
		this.batches.findPositive(ids(0, 3)).block(LONG);
		assertThat(this.batches.loaded()).containsExactly(List.of("never", id(1)), ids(0, 3), List.of(id(0)));
	}

	@Test
	void valuesInMemoryCostNothingAndTheRestIsAskedFor() {
		List<String> ids = List.of("n1", "n2");
		this.batches.findNear(ids).block(LONG);
		Awaitility.await().atMost(LONG).until(() -> calls(() -> this.batches.findNear(ids).block(LONG)) == 0);
		application.caches().evict("near", "n1");
		assertThat(calls(() -> assertThat(this.batches.findNear(ids).block(LONG)).hasSize(2))).isEqualTo(2);
		assertThat(this.batches.loaded()).containsExactly(ids, List.of("n1"));
	}

	@Test
	void changesThatAreWrittenBehindAreReadBeforeTheDatabaseHasThem() {
		Account waiting = new Account(id(1), 77);
		application.accounts().setBehind(id(1), 77).block(LONG);
		application.caches().evict("behind", id(1));
		assertThat(this.batches.findBehind(ids(0, 3)).block(LONG)).containsEntry(id(0), account(0))
			.containsEntry(id(1), waiting);
		application.caches().evict("behind", id(1));
		assertThat(this.batches.findBehind(List.of(id(1))).block(LONG)).containsExactly(Map.entry(id(1), waiting));
		assertThat(this.batches.findBehind(ids(0, 3)).block(LONG)).containsEntry(id(1), waiting);
		assertThat(this.batches.loaded()).containsExactly(List.of(id(0), id(2)));
	}

	@Test
	void entriesOfAClearedCacheAreLoadedInOneGoAndStored() {
		List<String> ids = ids(0, 20);
		this.batches.findAll(ids).block(LONG);
		DATABASE.put(id(1), 11).block(LONG);
		application.caches().clear("accounts");
		assertThat(calls(
				() -> assertThat(this.batches.findAll(ids).block(LONG)).containsEntry(id(1), new Account(id(1), 11))))
			.isEqualTo(3);
		assertThat(calls(() -> this.batches.findAll(ids).block(LONG))).isEqualTo(1);
		assertThat(this.batches.loaded()).containsExactly(ids, ids);
	}

	@ParameterizedTest
	@EnumSource
	void valueThatCannotBeReadIsLoadedAndReplaced(Form form) {
		form.find(this.batches, ids(0, 3));
		SharedRedis.standalone().primary().command("SET", "ge:cache:{accounts:" + id(1) + "}:e1", "of another format");
		assertThat(form.find(this.batches, ids(0, 4))).hasSize(4);
		assertThat(form.find(this.batches, ids(0, 4))).hasSize(4);
		assertThat(this.batches.loaded()).flatMap((ids) -> ids)
			.containsExactlyInAnyOrder(id(0), id(1), id(2), id(1), id(3));
	}

	@ParameterizedTest
	@EnumSource
	void valueThatWasWrittenWhileItWasLoadedIsNotStored(Form form) {
		this.batches.afterRead((ids) -> {
			this.batches.afterRead((later) -> Mono.empty());
			return application.accounts().setInOperator(id(1), 111);
		});
		assertThat(form.find(this.batches, ids(0, 3))).containsEntry(id(1), account(1));
		assertThat(form.find(this.batches, ids(0, 3))).containsEntry(id(1), new Account(id(1), 111));
	}

	@Test
	void transactionReadsWhatItHasWrittenAndStoresNothingOfIt() {
		this.batches.findAll(ids(0, 2)).block(LONG);
		assertThat(application.accounts()
			.set(id(1), 5)
			.then(this.batches.findAll(ids(0, 2)))
			.flatMap((seen) -> other.batches()
				.findAll(ids(0, 2))
				.contextWrite((context) -> Context.empty())
				.map((outside) -> List.of(seen, outside)))
			.as(application.transaction()::transactional)
			.block(LONG)).containsExactly(Map.of(id(0), account(0), id(1), new Account(id(1), 5)),
					Map.of(id(0), account(0), id(1), account(1)));
		assertThat(this.batches.loaded()).containsExactly(ids(0, 2), List.of(id(1)));
		assertThat(this.theirs.findAll(ids(0, 2)).block(LONG)).containsEntry(id(1), new Account(id(1), 5));
	}

	@Test
	void transactionThatMaySeeAnOldRowDoesNotStoreIt() {
		Mono.defer(() -> other.accounts().set(id(1), 6).contextWrite((context) -> Context.empty()))
			.then(Mono.fromRunnable(() -> other.caches().evict("accounts", id(1))))
			.then(this.batches.findAll(ids(0, 3)))
			.as(application.transaction()::transactional)
			.block(LONG);
		awaitNoLease();
		this.theirs.findAll(ids(0, 3)).block(LONG);
		assertThat(this.theirs.loaded()).containsExactly(List.of(id(1)));
	}

	@Test
	void loaderThatReadsItsOwnEntriesDoesNotWaitForItself() {
		assertThat(this.batches.findAllByReadingThem(ids(0, 3)).block(LONG)).hasSize(3);
		assertThat(application.events().takeResults()).containsExactly("miss", "miss", "miss", "bypass", "bypass",
				"bypass", "loaded", "loaded");
		assertThat(calls(() -> this.batches.findAll(ids(0, 3)).block(LONG))).isEqualTo(1);
		assertThat(this.batches.loaded()).containsExactly(ids(0, 3));
	}

	@ParameterizedTest
	@EnumSource
	void overlappingBatchesOfTwoInstancesEndAndStoreEveryId(Form form) {
		this.batches.afterRead((ids) -> Mono.delay(Duration.ofMillis(5)));
		this.theirs.afterRead((ids) -> Mono.delay(Duration.ofMillis(5)));
		List<CompletableFuture<Map<String, Account>>> calls = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			List<String> ids = new ArrayList<>(ids(i, i + 30));
			if (i % 3 == 0) {
				Collections.reverse(ids);
			}
			calls.add(form.begin((i % 2 == 0) ? this.batches : this.theirs, ids));
		}
		calls.forEach(
				(call) -> assertThat(call).succeedsWithin(LONG).satisfies((found) -> assertThat(found).hasSize(30)));
		this.batches.reset();
		assertThat(form.find(this.batches, ids(0, 49))).hasSize(49);
		assertThat(this.batches.loaded()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void failureIsTheLoadersAndTheNextOneLoadsAtOnce(Form form) {
		this.batches.afterRead((ids) -> {
			this.batches.afterRead((later) -> Mono.empty());
			return Mono.error(new IllegalStateException("no database"));
		});
		assertThat(form.begin(this.batches, ids(0, 3))).failsWithin(LONG)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessage("no database");
		assertThat(form.find(this.theirs, ids(0, 3))).hasSize(3);
		assertThat(this.theirs.loaded()).flatMap((ids) -> ids).containsExactlyInAnyOrderElementsOf(ids(0, 3));
		assertThat(application.events().takeResults()).containsExactly("miss", "miss", "miss", "load_failed");
	}

	@Test
	void valuesThatHaveExpiredStandInForThoseThatCannotBeLoaded() {
		List<String> ids = List.of("k1", "k2");
		this.batches.findKept(ids).block(LONG);
		this.batches.afterRead((some) -> Mono.error(new IllegalStateException("no database")));
		Set<String> seen = new HashSet<>();
		// One of them may expire, and not be loaded, before the other
		Awaitility.await().atMost(LONG).until(() -> {
			application.events().takeResults();
			assertThat(this.batches.findKept(ids).block(LONG)).isEqualTo(Map.of("k1", "one", "k2", "two"));
			List<String> results = application.events().takeResults();
			seen.addAll(results);
			return seen.contains("load_failed") && Collections.frequency(results, "stale") == 2;
		});
		// For a second nobody asks the database again
		assertThat(this.batches.findKeptFuture(ids)).succeedsWithin(LONG).isEqualTo(Map.of("k1", "one", "k2", "two"));
		assertThat(this.batches.findKeptFuture(List.of("k1", "k3"))).failsWithin(LONG)
			.withThrowableThat()
			.havingRootCause()
			.withMessage("no database");
		this.batches.afterRead((some) -> Mono.empty());
		Awaitility.await().atMost(LONG).until(() -> {
			application.events().takeResults();
			this.batches.findKept(ids).block(LONG);
			return application.events().takeResults().contains("loaded");
		});
	}

	@Test
	void methodNeverRunsOnAThreadOfTheDriver() {
		for (int i = 0; i < 20; i++) {
			this.batches.findAll(List.of("thread " + i, id(i))).block(LONG);
			assertThat(this.batches.findAllFuture(List.of("future " + i, id(i)))).succeedsWithin(LONG);
		}
		assertThat(this.batches.threads()).hasSize(40).noneMatch((name) -> name.contains("lettuce"));
	}

}
