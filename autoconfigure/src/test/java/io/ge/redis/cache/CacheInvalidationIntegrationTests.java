// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.ge.redis.InvalidKeyException;
import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What is invalidated by key, by tags and as a whole, in every arrangement with
 * transactions, and who hears of it.
 */
@OnRedis
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CacheInvalidationIntegrationTests {

	private RedisFixture redis;

	private RedisEndpoint server;

	private CacheApplication application;

	private CacheApplication other;

	private Groups groups;

	@BeforeAll
	void start(RedisFixture redis) {
		this.redis = redis;
		this.server = redis.endpoints().get(0);
		this.application = CacheApplication
			.start(Configuration.class, redis.properties(), "jdbc:h2:mem:invalidation;DB_CLOSE_DELAY=-1")
			.connected();
		this.other = CacheApplication
			.start(Configuration.class, redis.properties(), this.application.database(),
					"ge.redis.cache.max-staleness=400ms")
			.connected();
		this.groups = this.application.bean(Groups.class);
	}

	@AfterAll
	void stop() {
		this.application.close();
		this.other.close();
	}

	@BeforeEach
	void fill() {
		Balances balances = this.application.balances();
		this.application.bean(JdbcTemplate.class).update("delete from balance");
		for (String id : List.of("a1", "a2", "b1")) {
			balances.insert(id, "100");
		}
		// Answered after what it has asked in the background, which would be counted else
		this.other.caches().evict("groups", "none");
		this.application.caches().clear("groups");
		Awaitility.await().until(() -> loads() == 0);
		this.groups.loads().set(0);
		this.application.events().takeResults();
	}

	private static void readAll(Groups asked) {
		List.of("a1", "a2", "b1").forEach(asked::find);
	}

	/**
	 * Reads all and returns what had to be loaded for that, and checks that it is right.
	 */
	private int loads() {
		this.groups.loads().set(0);
		for (String id : List.of("a1", "a2", "b1")) {
			assertThat(this.groups.find(id)).isEqualTo(this.application.balances().stored(id));
		}
		return this.groups.loads().get();
	}

	@Test
	void nothingIsLoadedTwice() {
		assertThat(loads()).isZero();
	}

	@Test
	void oneEntry() {
		this.groups.set("a1", "1");
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertThat(loads()).isEqualTo(1);
	}

	@Test
	void oneEntryAtTwoCallsAndNoneForARollback() {
		this.groups.set("a1", "1");
		assertThat(calls(() -> this.groups.set("a1", "2"))).isEqualTo(2);
		readAll(this.groups);
		assertThat(calls(() -> assertThatIllegalStateException().isThrownBy(() -> this.groups.setAndFail("a1", "3"))))
			.isZero();
		assertThat(loads()).isZero();
	}

	private long calls(Runnable work) {
		this.redis.configResetStat();
		work.run();
		return this.redis.commandCalls("evalsha") + this.redis.commandCalls("eval");
	}

	@Test
	void allWithATag() {
		assertThat(calls(() -> this.groups.addToGroup("a", "1"))).isEqualTo(1);
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertThat(loads()).isEqualTo(2);
		assertThat(loads()).isZero();
	}

	@Test
	void tagsOfTheResult() {
		assertThat(this.groups.addToGroupOf("b1", "1")).isEqualTo("b");
		assertThat(loads()).isEqualTo(1);
	}

	@Test
	void wholeCache() {
		assertThat(calls(() -> this.groups.addToAll("1"))).isEqualTo(1);
		assertThat(loads()).isEqualTo(3);
	}

	@Test
	void severalAtOnce() {
		this.application.balances().find("b1");
		this.application.balances().loads().set(0);
		this.groups.rename("a1", "b");
		this.application.balances().find("b1");
		assertThat(this.application.balances().loads()).hasValue(1);
		assertThat(loads()).isEqualTo(2);
	}

	@Test
	void conditionThatIsNotMet() {
		this.groups.addToGroup("none", "1");
		assertThat(this.application.events().takeResults()).isEmpty();
		assertThat(loads()).isZero();
	}

	@Test
	void tagsThatCannotBeEvaluatedMeanAll() {
		this.groups.addToGroupAndReturnNothing("a", "1");
		assertThat(loads()).isEqualTo(3);
	}

	@Test
	void publishedValueHasTagsToo() {
		this.groups.add("a1", "1");
		assertThat(loads()).isZero();
		this.groups.addToGroup("a", "1");
		assertThat(loads()).isEqualTo(2);
	}

	@Test
	void valueWithoutTagsIsNotStoredWhereOthersHaveThem() {
		this.application.transaction()
			.executeWithoutResult(
					(status) -> this.application.caches().put("groups", "a1", new Balance("a1", BigDecimal.ONE, 7)));
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertThat(loads()).isEqualTo(1);
		this.application.caches().evict("groups", "a2");
		this.application.caches().get("groups", "a2", Balance.class, () -> this.application.balances().stored("a2"));
		assertThat(loads()).isEqualTo(1);
	}

	@Test
	void severalValuesAtOnce() {
		List<String> ids = List.of("a1", "a2", "b1");
		this.groups.addToGroup("a", "1");
		List<String> loaded = new CopyOnWriteArrayList<>();
		this.application.events().takeResults();
		assertThat(this.application.caches().getAll("groups", ids, Balance.class, (missing) -> {
			loaded.addAll(missing);
			return missing.stream().collect(Collectors.toMap(Function.identity(), this.application.balances()::stored));
		})).containsEntry("a1", this.application.balances().stored("a1"))
			.containsEntry("b1", this.application.balances().stored("b1"));
		assertThat(loaded).containsExactly("a1", "a2");
		assertThat(this.application.events().takeResults()).containsExactlyInAnyOrder("hit", "miss", "miss", "loaded");
		assertThat(loads()).as("what comes without tags is not stored").isEqualTo(2);
	}

	@Test
	void tagsThatFailWithAnErrorMeanAllAndTheMethodIsOver() {
		assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> this.groups.addToGroupsOfError("a", "1"));
		assertThat(loads()).isEqualTo(3);
		assertThat(loads()).isZero();
	}

	// Transactions

	@Test
	void rolledBack() {
		assertThatIllegalStateException().isThrownBy(() -> this.groups.addToGroupAndFail("a", "1"));
		assertThat(this.application.events().takeResults()).containsExactly("rolled_back");
		assertThat(loads()).isZero();
	}

	@Test
	void inTheTransactionOfTheCaller() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.groups.addToGroup("a", "1");
			assertThat(this.groups.find("a1").amount()).isEqualTo(new BigDecimal("101.00"));
			assertThat(CompletableFuture.supplyAsync(() -> this.groups.find("a1")).join().amount())
				.isEqualTo(new BigDecimal("100.00"));
		});
		assertThat(loads()).isEqualTo(2);
	}

	@Test
	void inTheTransactionOfTheCallerRolledBack() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.groups.addToAll("1");
			status.setRollbackOnly();
		});
		assertThat(loads()).isZero();
	}

	@Test
	void inANewTransactionInsideOfTheCallers() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.groups.addToGroupInNewTransaction("a", "1");
			assertThat(this.application.events().takeResults()).containsExactly("invalidated");
			status.setRollbackOnly();
		});
		assertThat(loads()).isEqualTo(2);
	}

	@Test
	void afterASavepointThatIsRolledBackTo() {
		TransactionTemplate nested = this.application.transaction();
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		this.application.transaction().executeWithoutResult((outer) -> {
			this.groups.addToGroup("b", "1");
			nested.executeWithoutResult((status) -> {
				this.groups.addToGroup("a", "1");
				status.setRollbackOnly();
			});
		});
		assertThat(loads()).isEqualTo(1);
	}

	@Test
	void withoutTransactionAndFailing() {
		assertThatIllegalStateException().isThrownBy(() -> this.groups.addToGroupWithoutTransactionAndFail("a", "1"));
		assertThat(loads()).isEqualTo(2);
	}

	@Test
	void differentTagsInOneTransaction() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.groups.addToGroup("a", "1");
			this.groups.addToGroup("b", "1");
		});
		assertThat(loads()).isEqualTo(3);
	}

	@Test
	void readerInATransactionThatBeganBeforeStoresNothing() {
		this.application.caches().evict("groups", "a1");
		this.application.transaction().executeWithoutResult((status) -> {
			CompletableFuture.runAsync(() -> this.groups.addToGroup("a", "1")).join();
			this.groups.find("a1");
		});
		assertThat(loads()).as("a1 was not stored, a2 is outdated").isEqualTo(2);
	}

	@Test
	void valueLoadedBeforeAnInvalidationCountsAsOld() {
		this.application.caches().evict("groups", "a1");
		this.groups.whileLoading(() -> {
			this.groups.whileLoading(() -> {
			});
			CompletableFuture.runAsync(() -> this.groups.addToGroup("a", "1")).join();
		});
		this.groups.find("a1");
		assertThat(loads()).isEqualTo(2);
	}

	// Instances

	@Test
	void otherInstancesHear() {
		Groups theirs = this.other.bean(Groups.class);
		readAll(theirs);
		this.groups.addToGroup("a", "1");
		Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> theirs.find("a1").version() == 1);
		assertThat(theirs.find("a2").version()).isEqualTo(1);
		assertThat(theirs.find("b1").version()).isZero();
	}

	@Test
	void otherInstancesFindOutWithoutBeingTold() {
		Groups theirs = this.other.bean(Groups.class);
		readAll(theirs);
		this.application.bean(JdbcTemplate.class).update("update balance set version = 9");
		this.server.command("ZADD", "ge:cache:{groups}:i1", String.valueOf(System.currentTimeMillis() * 1000 + 500_000),
				"*");
		Stopwatch.within(Duration.ofSeconds(5), () -> theirs.find("a1").version() == 9);
	}

	@Test
	void waiterFindsOutWhatItWasNotToldOfMeanwhile() {
		Groups theirs = this.other.bean(Groups.class);
		readAll(theirs);
		this.application.caches().evict("groups", "a1");
		CountDownLatch read = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		this.groups.whileLoading(() -> {
			read.countDown();
			CacheContract.await(release);
		});
		CompletableFuture<Balance> loader = inItsOwnThread(() -> this.groups.find("a1"));
		CacheContract.await(read);
		theirs.loads().set(0);
		this.redis.configResetStat();
		CompletableFuture<Balance> waiter = inItsOwnThread(() -> theirs.find("a1"));
		Awaitility.await().until(() -> this.redis.commandCalls("sadd") > 0);
		this.application.bean(JdbcTemplate.class).update("update balance set version = 7");
		this.server.command("ZADD", "ge:cache:{groups}:i1", String.valueOf(System.currentTimeMillis() * 1000 + 900_000),
				"*");
		CacheContract.await(CacheReadingIntegrationTests.passing(500));
		release.countDown();
		assertThat(loader.join().version()).isZero();
		assertThat(waiter.join().version()).isEqualTo(7);
		this.groups.whileLoading(() -> {
		});
	}

	// Not on the common pool, which may have one thread only
	private static CompletableFuture<Balance> inItsOwnThread(Supplier<Balance> work) {
		return CompletableFuture.supplyAsync(work, (task) -> new Thread(task).start());
	}

	@Test
	void tagsWhoseTimeIsOverOutdateWhatIsOlder() {
		long old = System.currentTimeMillis() * 1000 - Duration.ofHours(1).toMillis() * 1000;
		this.application.caches().invalidateTags("groups", "a");
		this.server.command("ZREM", "ge:cache:{groups}:i1", "*");
		this.server.command("ZADD", "ge:cache:{groups}:i1", String.valueOf(old), "0a", String.valueOf(old - 1), "0b");
		this.application.caches().invalidateTags("groups", "a");
		assertThat((Long) this.server.command("ZCARD", "ge:cache:{groups}:i1")).isEqualTo(2);
		assertThat(this.server.command("ZSCORE", "ge:cache:{groups}:i1", "*")).hasToString(String.valueOf(old));
	}

	@Test
	void lostVersionsOutdateEverything() {
		Groups theirs = this.other.bean(Groups.class);
		readAll(theirs);
		this.application.bean(JdbcTemplate.class).update("update balance set version = 8");
		this.server.command("DEL", "ge:cache:{groups}:i1");
		Stopwatch.within(Duration.ofSeconds(5), () -> theirs.find("a1").version() == 8);
	}

	@Test
	void invalidationByWhoKnowsNothingOutdatesEverythingAfterALoss() {
		this.application.bean(JdbcTemplate.class).update("update balance set version = 8");
		this.application.caches().invalidateTags("groups", "a");
		this.server.command("DEL", "ge:cache:{groups}:i1");
		try (CacheApplication fresh = startFresh()) {
			fresh.caches().invalidateTags("groups", "b");
			assertThat(fresh.bean(Groups.class).find("a1").version()).isEqualTo(8);
		}
	}

	@Test
	@Wide
	void invalidationByWhoKnowsMoreOutdatesEverythingAfterAFailover() {
		List<?> last = (List<?>) this.server.command("ZREVRANGE", "ge:cache:{groups}:i1", "0", "0", "WITHSCORES");
		this.application.bean(JdbcTemplate.class).update("update balance set version = 8");
		this.application.caches().invalidateTags("groups", "a");
		this.server.command("DEL", "ge:cache:{groups}:i1");
		this.server.command("ZADD", "ge:cache:{groups}:i1", String.valueOf(last.get(1)), "*");
		this.application.caches().invalidateTags("groups", "b");
		try (CacheApplication fresh = startFresh()) {
			assertThat(fresh.bean(Groups.class).find("a1").version()).isEqualTo(8);
		}
	}

	private CacheApplication startFresh() {
		return CacheApplication.start(Configuration.class, this.redis.properties(), this.application.database())
			.connected();
	}

	@Test
	@Wide
	void whoInvalidatesMuchKeepsNobodyFromTheCache() {
		AtomicBoolean over = new AtomicBoolean();
		List<CompletableFuture<Void>> invalidating = IntStream.range(0, 4)
			.mapToObj((number) -> CompletableFuture.runAsync(() -> {
				for (int i = 0; !over.get(); i++) {
					// Of more tags than are remembered all entries would be outdated
					this.application.caches().invalidateTags("groups", "unused" + number + "." + i % 2_000);
				}
			}, (task) -> new Thread(task).start()))
			.toList();
		this.groups.loads().set(0);
		for (int i = 0; i < 300; i++) {
			assertThat(this.groups.find("a1")).isNotNull();
		}
		over.set(true);
		invalidating.forEach(CompletableFuture::join);
		assertThat(this.groups.loads()).hasValue(0);
	}

	@Test
	void tagsInAListAreSeveral() {
		this.application.caches().invalidateTags("groups", List.of("a", "b"));
		assertThat(loads()).isEqualTo(3);
	}

	@Test
	void blankTextIsATag() {
		this.application.caches().evict("groups", "a1");
		this.groups.findTagged("a1", " ");
		this.groups.loads().set(0);
		this.application.caches().invalidateTags("groups", "");
		this.groups.findTagged("a1", " ");
		assertThat(this.groups.loads()).hasValue(0);
		this.application.caches().invalidateTags("groups", " ");
		this.groups.findTagged("a1", " ");
		assertThat(this.groups.loads()).hasValue(1);
	}

	@Test
	void entryFromBeforeThereWereTagsIsLoadedAnew() {
		this.application.caches().evict("groups", "a1");
		this.groups.findTagged("a1", null);
		assertThat(loads()).isEqualTo(1);
		assertThat(loads()).isZero();
	}

	@Test
	void invalidationInsideOfAWriterHasItRemoveTheEntry() {
		this.application.transaction().executeWithoutResult((status) -> this.groups.addAnd("a1", () -> {
			this.groups.set("a1", "1");
		}));
		assertThat(loads()).isEqualTo(1);
		this.groups.addAnd("a1", () -> this.application.caches().evict("groups", "a1"));
		assertThat(loads()).isEqualTo(1);
		this.groups.addAnd("a1", () -> {
		});
		assertThat(loads()).isZero();
	}

	@Test
	void versionsOutliveTheEntries() {
		Object ttl = this.server.command("PTTL", "ge:cache:{groups}:i1");
		assertThat((Long) ttl).isGreaterThan(Duration.ofMinutes(11).toMillis());
	}

	@Test
	void tagsBeyondTheMostAreForgottenAsAWhole() {
		String[] tags = new String[900];
		for (int call = 0; call < 12; call++) {
			for (int i = 0; i < tags.length; i++) {
				tags[i] = "t" + call + "." + i;
			}
			this.application.caches().invalidateTags("groups", (Object[]) tags);
		}
		assertThat((Long) this.server.command("ZCARD", "ge:cache:{groups}:i1")).isLessThanOrEqualTo(10_001);
		assertThat(this.server.command("ZSCORE", "ge:cache:{groups}:i1", "*")).isNotNull();
		this.application.caches().clear("groups");
		assertThat((Long) this.server.command("ZCARD", "ge:cache:{groups}:i1")).isEqualTo(1);
	}

	@Test
	void tagWithoutTextIsRefused() {
		assertThatExceptionOfType(InvalidKeyException.class)
			.isThrownBy(() -> this.application.caches().invalidateTags("groups", "a", new Object()))
			.withMessageContaining("A tag of cache 'groups'");
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(CacheApplication.Configuration.class)
	static class Configuration {

		@Bean
		Groups groups(Balances balances, JdbcTemplate database) {
			return new Groups(balances, database);
		}

	}

	/**
	 * Balances whose group is the first letter of their id.
	 */
	static class Groups {

		private final Balances balances;

		private final JdbcTemplate database;

		private final AtomicInteger loads = new AtomicInteger();

		private volatile Runnable whileLoading = () -> {
		};

		Groups(Balances balances, JdbcTemplate database) {
			this.balances = balances;
			this.database = database;
		}

		AtomicInteger loads() {
			return this.loads;
		}

		void whileLoading(Runnable action) {
			this.whileLoading = action;
		}

		private void change(String where, String delta) {
			this.database.update("update balance set amount = amount + ?, version = version + 1 where id like ?",
					new BigDecimal(delta), where);
		}

		@CacheAside(cache = "groups", key = "#id", tags = "#id.substring(0, 1)")
		@Nullable Balance find(String id) {
			this.loads.incrementAndGet();
			Balance found = this.balances.stored(id);
			this.whileLoading.run();
			return found;
		}

		@CacheAside(cache = "groups", key = "#id", tags = "#tag")
		@Nullable Balance findTagged(String id, @Nullable String tag) {
			this.loads.incrementAndGet();
			return this.balances.stored(id);
		}

		@CacheWriteThrough(cache = "groups", key = "#id", tags = "#result.id.substring(0, 1)")
		@Nullable Balance addAnd(String id, Runnable then) {
			change(id, "1");
			Balance added = this.balances.stored(id);
			then.run();
			return added;
		}

		@CacheWriteThrough(cache = "groups", key = "#id", tags = "#result.id.substring(0, 1)")
		@Transactional
		@Nullable Balance add(String id, String delta) {
			change(id, delta);
			return this.balances.stored(id);
		}

		@CacheInvalidate(cache = "groups", key = "#id")
		@Transactional
		void set(String id, String delta) {
			change(id, delta);
		}

		@CacheInvalidate(cache = "groups", key = "#id")
		@Transactional
		void setAndFail(String id, String delta) {
			change(id, delta);
			throw new IllegalStateException("after the update");
		}

		@CacheInvalidate(cache = "groups", tags = "#group", condition = "#group != 'none'")
		@Transactional
		void addToGroup(String group, String delta) {
			change(group + "%", delta);
		}

		@CacheInvalidate(cache = "groups", tags = "#group")
		@Transactional
		void addToGroupAndFail(String group, String delta) {
			change(group + "%", delta);
			throw new IllegalStateException("after the update");
		}

		@CacheInvalidate(cache = "groups", tags = "#group")
		void addToGroupWithoutTransactionAndFail(String group, String delta) {
			change(group + "%", delta);
			throw new IllegalStateException("after the update");
		}

		@CacheInvalidate(cache = "groups", tags = "#group")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		void addToGroupInNewTransaction(String group, String delta) {
			change(group + "%", delta);
		}

		@CacheInvalidate(cache = "groups", tags = "{#result}")
		@Transactional
		String addToGroupOf(String id, String delta) {
			change(id, delta);
			return id.substring(0, 1);
		}

		@CacheInvalidate(cache = "groups", tags = "#result.length()")
		@Transactional
		@Nullable String addToGroupAndReturnNothing(String group, String delta) {
			change(group + "%", delta);
			return null;
		}

		@CacheInvalidate(cache = "groups", tags = "#result")
		@Transactional
		List<String> addToGroupsOfError(String group, String delta) {
			change(group + "%", delta);
			return new AbstractList<>() {

				@Override
				public String get(int index) {
					throw new StackOverflowError();
				}

				@Override
				public int size() {
					return 1;
				}

			};
		}

		@CacheInvalidate(cache = "groups", all = true)
		@Transactional
		void addToAll(String delta) {
			change("%", delta);
		}

		@CacheInvalidate(cache = "groups", key = "#id")
		@CacheInvalidate(cache = "groups", tags = "#group")
		@CacheInvalidate(cache = "balances", all = true)
		@Transactional
		void rename(String id, String group) {
			change(id, "1");
			change(group + "%", "1");
		}

	}

}
