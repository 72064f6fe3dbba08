// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.cache.internal.engine.CacheHeader;
import io.ge.redis.cache.internal.engine.TypeShape;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStringCommands.SetOption;
import org.springframework.data.redis.core.types.Expiration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What reading several values at once does on every Redis.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class CacheBatchContract {

	/**
	 * However slow the machine, nobody takes over from a loader that lives, or stops
	 * waiting for it.
	 */
	private static final String[] PATIENT = { "ge.redis.cache.lease-time=1m", "ge.redis.cache.load-wait=1m" };

	private RedisFixture redis;

	private CacheApplication application;

	private CacheApplication other;

	private Balances balances;

	private Batches batches;

	@BeforeEach
	void start(RedisFixture redis) {
		this.redis = redis;
		if (this.application == null) {
			this.application = CacheApplication
				.start(Configuration.class, redis.properties(),
						"jdbc:h2:mem:" + getClass().getName() + ";DB_CLOSE_DELAY=-1", PATIENT)
				.connected();
			this.other = CacheApplication
				.start(Configuration.class, redis.properties(), this.application.database(), PATIENT)
				.connected();
			this.balances = this.application.balances();
			this.batches = this.application.bean(Batches.class);
			IntStream.range(0, 50).forEach((i) -> this.balances.insert(id(i), String.valueOf(i)));
			// So that later counts are free of repetitions, on each node of a cluster
			this.batches.findAll(ids(0, 50));
			this.batches.findAll(ids(0, 50));
			this.other.bean(Batches.class).findAll(ids(0, 50));
		}
		redis.flushAll();
		this.balances.loads().set(0);
		this.batches.reset();
		this.other.bean(Batches.class).reset();
		this.application.events().takeResults();
	}

	/**
	 * Leases are given back a moment after the call, which the next test would count.
	 */
	@AfterEach
	void awaitLeasesGivenBack() {
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
			for (RedisEndpoint server : this.redis.endpoints()) {
				if (server.isPrimary() && hasLease(server)) {
					return false;
				}
			}
			return true;
		});
	}

	private static boolean hasLease(RedisEndpoint server) {
		return ((List<?>) server.command("KEYS", "ge:cache:*:e1")).stream()
			.anyMatch((key) -> String.valueOf(server.command("GET", key.toString())).startsWith("L"));
	}

	@AfterAll
	void stop() {
		this.other.close();
		this.application.close();
	}

	private static String id(int number) {
		return "id" + number;
	}

	private static List<String> ids(int from, int to) {
		return IntStream.range(from, to).mapToObj(CacheBatchContract::id).toList();
	}

	private long calls(Runnable work) {
		this.redis.configResetStat();
		work.run();
		return this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval");
	}

	private long slots(Collection<String> ids) {
		if (this.redis.endpoints().stream().filter(RedisEndpoint::isPrimary).count() == 1) {
			return 1;
		}
		return ids.stream()
			.map((id) -> ClusterSlotHashUtil
				.calculateSlot(("ge:cache:{balances:" + id + "}:e1").getBytes(StandardCharsets.UTF_8)))
			.distinct()
			.count();
	}

	@Test
	void missesCostTwoCallsForEachSlotAndHitsOne() {
		List<String> ids = ids(0, 20);
		assertThat(calls(() -> assertThat(this.batches.findAll(ids).keySet()).containsExactlyElementsOf(ids)))
			.isEqualTo(2 * slots(ids));
		assertThat(calls(() -> assertThat(this.batches.findAll(ids)).containsEntry(id(3), this.balances.stored(id(3)))))
			.isEqualTo(slots(ids));
		assertThat(this.batches.loaded()).containsExactly(ids);
		assertThat(this.application.events().takeResults()).hasSize(41)
			.containsOnlyOnce("loaded")
			.filteredOn("hit"::equals)
			.hasSize(20);
	}

	@Test
	void loadsOnlyWhatIsMissingAndOthersReadIt() {
		this.balances.find(id(1));
		assertThat(this.batches.findAll(List.of(id(2), id(1), id(0), id(2)))).containsExactly(
				Map.entry(id(2), this.balances.stored(id(2))), Map.entry(id(1), this.balances.stored(id(1))),
				Map.entry(id(0), this.balances.stored(id(0))));
		assertThat(this.batches.loaded()).containsExactly(List.of(id(2), id(0)));
		this.balances.find(id(0));
		assertThat(this.balances.loads()).hasValue(1);
		assertThat(this.batches.findAll(List.of())).isEmpty();
		assertThat(this.batches.loaded()).hasSize(1);
	}

	@Test
	void absenceOfAnIdThatTheLoaderDoesNotReturnIsCached() {
		assertThat(this.batches.findAll(List.of("none1", id(1), "none2"))).containsOnlyKeys(id(1));
		assertThat(this.batches.findAll(List.of("none1", id(1), "none2"))).containsOnlyKeys(id(1));
		assertThat(this.batches.loaded()).hasSize(1);
		assertThat(this.balances.find("none1")).isNull();
		assertThat(this.balances.loads()).hasValue(0);
	}

	@Test
	void takesASetAndKeepsOutWhatUnlessSays() {
		assertThat(this.batches.findPositive(Set.of(id(0)))).containsOnlyKeys(id(0));
		assertThat(this.batches.findPositive(Set.of(id(0), id(7)))).hasSize(2);
		assertThat(this.batches.findPositive(Set.of(id(7)))).hasSize(1);
		// The lease may be given up a moment after the call
		assertThat(this.batches.loaded()).flatMap((ids) -> ids).containsExactlyInAnyOrder(id(0), id(0), id(7));
	}

	@Test
	void codeReadsTheSameEntries() {
		this.batches.findAll(ids(0, 3));
		List<List<String>> asked = new ArrayList<>();
		Map<String, Balance> found = this.application.caches()
			.getAll("balances", ids(1, 5), Balance.class, (missing) -> {
				asked.add(List.copyOf(missing));
				return Map.of(id(3), new Balance(id(3), BigDecimal.ONE, 9));
			});
		assertThat(asked).containsExactly(ids(3, 5));
		assertThat(found.keySet()).containsExactly(id(1), id(2), id(3));
		assertThat(this.balances.find(id(3))).isEqualTo(new Balance(id(3), BigDecimal.ONE, 9));
	}

	@Test
	void valueThatWasWrittenWhileItWasLoadedIsNotStored() {
		this.batches.whileLoading(() -> {
			this.batches.whileLoading(() -> {
			});
			CompletableFuture.runAsync(() -> this.balances.add(id(1), "1")).join();
		});
		Balance before = this.balances.stored(id(1));
		assertThat(this.batches.findAll(ids(0, 3))).containsEntry(id(1), before);
		assertThat(this.batches.findAll(ids(0, 3))).containsEntry(id(1), this.balances.stored(id(1)));
		assertThat(this.balances.stored(id(1))).isNotEqualTo(before);
		assertThat(this.batches.loaded()).containsExactly(ids(0, 3));
	}

	@Test
	void transactionThatMaySeeAnOldRowDoesNotStoreIt() {
		this.application.transaction().executeWithoutResult((status) -> {
			CompletableFuture.runAsync(() -> this.balances.add(id(1), "1")).join();
			this.application.caches().evict("none", "none");
			evictNow(id(1));
			this.batches.findAll(ids(0, 3));
		});
		awaitLeasesGivenBack();
		this.batches.findAll(ids(0, 3));
		assertThat(this.batches.loaded()).containsExactly(ids(0, 3), List.of(id(1)));
	}

	private void evictNow(String id) {
		CompletableFuture.runAsync(() -> this.application.caches().evict("balances", id)).join();
	}

	@Test
	void entriesOfAClearedCacheAreLoadedInOneGoAndStored() {
		List<String> ids = ids(0, 20);
		this.batches.findAll(ids);
		Batches theirs = this.other.bean(Batches.class);
		theirs.findAll(ids);
		IntStream.range(0, 50).forEach((i) -> this.balances.addOutsideOfCache(id(i), "1"));
		this.application.caches().clear("balances");
		this.application.events().takeResults();
		assertThat(calls(() -> assertThat(this.batches.findAll(ids)).containsEntry(id(3), this.balances.stored(id(3)))))
			.isEqualTo(3 * slots(ids));
		assertThat(this.application.events().takeResults()).hasSize(21)
			.containsOnlyOnce("loaded")
			.filteredOn("miss"::equals)
			.hasSize(20);
		assertThat(calls(() -> assertThat(this.batches.findAll(ids)).containsEntry(id(3), this.balances.stored(id(3)))))
			.isEqualTo(slots(ids));
		assertThat(this.batches.loaded()).containsExactly(ids, ids);
		Awaitility.await()
			.untilAsserted(() -> assertThat(theirs.findAll(ids)).containsEntry(id(3), this.balances.stored(id(3))));
	}

	@Test
	void valuesThatWereLoadedBeforeAnInvalidationCountAsOld() {
		this.batches.whileLoading(() -> {
			this.batches.whileLoading(() -> {
			});
			CompletableFuture.runAsync(() -> {
				this.balances.addOutsideOfCache(id(1), "1");
				this.application.caches().clear("balances");
			}).join();
		});
		Balance before = this.balances.stored(id(1));
		assertThat(this.batches.findAll(ids(0, 3))).containsEntry(id(1), before);
		assertThat(this.batches.findAll(ids(0, 3))).containsEntry(id(1), this.balances.stored(id(1)));
		assertThat(this.balances.stored(id(1))).isNotEqualTo(before);
		assertThat(this.batches.loaded()).containsExactly(ids(0, 3), ids(0, 3));
	}

	@Test
	void transactionThatBeganBeforeAnInvalidationStoresNothing() {
		this.application.transaction().executeWithoutResult((status) -> {
			CompletableFuture.runAsync(() -> this.application.caches().clear("balances")).join();
			this.batches.findAll(ids(0, 3));
		});
		awaitLeasesGivenBack();
		this.batches.findAll(ids(0, 3));
		this.batches.findAll(ids(0, 3));
		List<String> twice = new ArrayList<>(ids(0, 3));
		twice.addAll(ids(0, 3));
		assertThat(this.batches.loaded()).flatMap((ids) -> ids).containsExactlyInAnyOrderElementsOf(twice);
	}

	@Test
	void transactionReadsWhatItHasWritten() {
		this.batches.findAll(ids(0, 2));
		this.application.transaction().executeWithoutResult((status) -> {
			Balance written = this.balances.addInCallersTransaction(id(1), "1");
			assertThat(this.batches.findAll(ids(0, 2))).containsEntry(id(1), written);
		});
		assertThat(this.batches.loaded()).containsExactly(ids(0, 2), List.of(id(1)));
	}

	@Test
	void futureOfACallerInATransactionIsBegunInsideOfIt() {
		this.application.transaction().executeWithoutResult((status) -> {
			Balance written = this.balances.addInCallersTransaction(id(1), "1");
			assertThat(this.batches.findAllFuture(ids(0, 2)).join()).containsEntry(id(1), written);
			assertThat(this.application.caches()
				.getAllAsync("balances", ids(1, 3), Balance.class,
						(missing) -> CompletableFuture.completedFuture(this.batches.load(missing)))
				.toCompletableFuture()
				.join()).containsEntry(id(1), written);
			status.setRollbackOnly();
		});
		assertThat(this.batches.loaded()).flatMap((ids) -> ids).containsExactlyInAnyOrder(id(0), id(1), id(1), id(2));
		assertThat(this.batches.findAll(ids(1, 2))).containsEntry(id(1), this.balances.stored(id(1)));
	}

	@Test
	void valueThatAnotherCallerLoadsIsLoadedTooAndNotStored() {
		CountDownLatch loading = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.balances.whileLoading(() -> {
			loading.countDown();
			CacheContract.await(release);
		});
		CompletableFuture<Balance> one = CompletableFuture.supplyAsync(() -> this.balances.find(id(1)),
				(task) -> new Thread(task).start());
		CacheContract.await(loading);
		for (Batches batches : List.of(this.batches, this.other.bean(Batches.class))) {
			assertThat(batches.findAll(ids(0, 3))).hasSize(3);
			assertThat(batches.loaded()).last().asInstanceOf(InstanceOfAssertFactories.LIST).contains(id(1));
		}
		assertThat(one).isNotDone();
		release.countDown();
		one.join();
		this.balances.whileLoading(() -> {
		});
		this.batches.reset();
		this.batches.findAll(ids(0, 3));
		assertThat(this.batches.loaded()).isEmpty();
		assertThat(this.balances.loads()).hasValue(1);
	}

	@Test
	void overlappingBatchesOfTwoInstancesEndAndStoreEveryId() throws Exception {
		Batches theirs = this.other.bean(Batches.class);
		ExecutorService threads = Executors.newFixedThreadPool(12);
		CountDownLatch go = new CountDownLatch(1);
		List<CompletableFuture<Map<String, Balance>>> calls = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			List<String> ids = new ArrayList<>(ids(i, i + 30));
			if (i % 3 == 0) {
				Collections.reverse(ids);
			}
			Batches asked = (i % 2 == 0) ? this.batches : theirs;
			calls.add(CompletableFuture.supplyAsync(() -> {
				CacheContract.await(go);
				return asked.findAll(ids);
			}, threads));
		}
		go.countDown();
		for (CompletableFuture<Map<String, Balance>> call : calls) {
			assertThat(call.get(20, TimeUnit.SECONDS)).hasSize(30);
		}
		threads.shutdown();
		this.batches.reset();
		assertThat(this.batches.findAll(ids(0, 41))).hasSize(41);
		assertThat(this.batches.loaded()).isEmpty();
	}

	@Test
	void failureOfTheLoaderIsItsCallersAndTheNextOneLoadsAtOnce() {
		this.batches.whileLoading(() -> {
			this.batches.whileLoading(() -> {
			});
			throw new IllegalStateException("no database");
		});
		assertThatIllegalStateException().isThrownBy(() -> this.batches.findAll(ids(0, 3))).withMessage("no database");
		assertThat(this.other.bean(Batches.class).findAll(ids(0, 3))).hasSize(3);
		assertThat(this.other.bean(Batches.class).loaded()).flatMap((ids) -> ids)
			.containsExactlyInAnyOrderElementsOf(ids(0, 3));
	}

	@Test
	void valueThatCannotBeReadIsLoadedAndReplaced() {
		this.batches.findAll(ids(0, 4));
		overwrite(id(1), "of another format".getBytes(StandardCharsets.UTF_8));
		int shape = TypeShape.of(JsonMapper.shared().constructType(Balance.class));
		overwrite(id(2), CacheHeader.NONE.entry(shape, "{damaged".getBytes(StandardCharsets.UTF_8), false));
		this.application.events().takeResults();
		assertThat(this.batches.findAll(ids(0, 4))).hasSize(4);
		assertThat(this.application.events().takeResults()).containsExactlyInAnyOrder("hit", "hit", "unreadable",
				"miss", "unreadable", "miss", "loaded");
		assertThat(this.batches.findAll(ids(0, 4))).hasSize(4);
		assertThat(this.batches.loaded()).containsExactly(ids(0, 4), List.of(id(1), id(2)));
	}

	private void overwrite(String id, byte[] value) {
		try (RedisConnection connection = this.application.bean(RedisConnectionFactory.class).getConnection()) {
			connection.stringCommands()
				.set(("ge:cache:{balances:" + id + "}:e1").getBytes(StandardCharsets.UTF_8), value,
						Expiration.seconds(60), SetOption.upsert());
		}
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(CacheApplication.Configuration.class)
	static class Configuration {

		@Bean
		Batches batches(Balances balances) {
			return new Batches(balances);
		}

	}

	/**
	 * Reads several balances.
	 */
	static class Batches {

		private final Balances balances;

		private final List<List<String>> loaded = new CopyOnWriteArrayList<>();

		private volatile Runnable whileLoading = () -> {
		};

		Batches(Balances balances) {
			this.balances = balances;
		}

		List<List<String>> loaded() {
			return this.loaded;
		}

		void whileLoading(Runnable action) {
			this.whileLoading = action;
		}

		void reset() {
			this.loaded.clear();
			this.whileLoading = () -> {
			};
		}

		@CacheAside(cache = "balances", keys = "#ids")
		Map<String, Balance> findAll(Collection<String> ids) {
			return load(ids);
		}

		@CacheAside(cache = "balances", keys = "#ids")
		CompletableFuture<Map<String, Balance>> findAllFuture(Collection<String> ids) {
			return CompletableFuture.completedFuture(load(ids));
		}

		@CacheAside(cache = "balances", keys = "#ids", unless = "#result.amount.signum() == 0")
		Map<String, Balance> findPositive(Set<String> ids) {
			return load(ids);
		}

		Map<String, Balance> load(Collection<String> ids) {
			this.loaded.add(List.copyOf(ids));
			Map<String, Balance> found = new LinkedHashMap<>();
			for (String id : ids) {
				Balance balance = this.balances.stored(id);
				if (balance != null) {
					found.put(id, balance);
				}
			}
			this.whileLoading.run();
			return found;
		}

	}

}
