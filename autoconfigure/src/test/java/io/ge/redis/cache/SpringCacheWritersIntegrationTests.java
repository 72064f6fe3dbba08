// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TcpProxy;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.cache.CacheManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Methods with {@code @CachePut} and {@code @CacheEvict}. At each commit the change must
 * be announced, and afterwards the cache must equal the database.
 */
@Wide
@OnRedis
class SpringCacheWritersIntegrationTests {

	private RedisFixture redis;

	private RedisEndpoint server;

	private CacheApplication application;

	private Balances balances;

	private SpringBalances spring;

	/** What stood in Redis at each commit: whether the entry, whether an announcement. */
	private final List<String> atCommit = new ArrayList<>();

	@BeforeEach
	void start(RedisFixture redis) {
		this.redis = redis;
		this.server = redis.endpoints().get(0);
		use(SpringBalances.start(redis.properties()));
	}

	private void use(CacheApplication started) {
		this.application = started;
		this.balances = started.balances();
		this.spring = started.bean(SpringBalances.class);
		this.balances.insert("a", "100");
		this.spring.find("a");
		this.balances.afterCommit(() -> this.atCommit.add(state()));
		started.events().takeResults();
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private String state() {
		Object entry = this.server.command("EXISTS", "ge:cache:{balances:a}:e1");
		Object fields = this.server.command("HKEYS", "ge:cache:{balances:a}:w1");
		boolean announced = fields instanceof List<?> names
				&& names.stream().anyMatch((name) -> name.toString().startsWith("t:"));
		return (Long.valueOf(1).equals(entry) ? "entry" : "no entry") + (announced ? ", announced" : ", not announced");
	}

	private void assertEqual(String amount) {
		assertThat(state()).endsWith("not announced");
		assertThat(this.spring.find("a")).isEqualTo(this.balances.stored("a"))
			.extracting(Balance::amount)
			.isEqualTo(new BigDecimal(amount));
	}

	private void assertPublished(String amount) {
		assertThat(this.atCommit).isNotEmpty().containsOnly("no entry, announced");
		assertThat(this.application.events().takeResults()).containsExactly("published");
		this.spring.loads().set(0);
		assertEqual(amount);
		assertThat(this.spring.loads()).hasValue(0);
	}

	private void assertEvicted(String amount) {
		assertThat(this.atCommit).isNotEmpty().containsOnly("no entry, announced");
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertThat(state()).isEqualTo("no entry, not announced");
		assertEqual(amount);
	}

	private void assertUnchangedInCache() {
		assertThat(this.atCommit).isEmpty();
		assertThat(state()).isEqualTo("entry, not announced");
		assertEqual("100.00");
	}

	@Test
	void putInTheTransactionOfTheMethod() {
		this.spring.add("a", "1");
		assertPublished("101.00");
	}

	@Test
	void putInTheTransactionOfTheMethodThatIsRolledBack() {
		assertThatIllegalStateException().isThrownBy(() -> this.spring.addAndFail("a", "1"));
		assertUnchangedInCache();
	}

	@Test
	void putInsideOfTheTransactionOfTheMethod() {
		this.spring.add("a", "1");
		assertPublished("101.00");
		assertThatIllegalStateException().isThrownBy(() -> this.spring.addAndFail("a", "1"));
		assertEqual("101.00");
		this.application.transaction().executeWithoutResult((status) -> this.spring.addInNewTransaction("a", "1"));
		assertEqual("102.00");
		this.application.events().takeResults();
		this.spring.addAndEvict("a", "1");
		assertEvicted("103.00");
	}

	@Test
	void putInTheTransactionOfTheCaller() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.spring.addInCallersTransaction("a", "1");
			assertThat(state()).isEqualTo("entry, not announced");
		});
		assertPublished("101.00");
	}

	@Test
	void putInTheTransactionOfTheCallerThatIsRolledBack() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.spring.addInCallersTransaction("a", "1");
			status.setRollbackOnly();
		});
		assertUnchangedInCache();
	}

	@Test
	void putAfterATransactionInsideOfTheMethod() {
		this.spring.addInTemplates("a", "1");
		assertThat(this.atCommit).as("nobody knew of it").containsExactly("entry, not announced");
		assertThat(this.application.events().takeResults()).containsExactly("published");
		assertEqual("101.00");
	}

	@Test
	void putAfterSeveralTransactionsInsideOfTheMethod() {
		this.spring.addInTemplates("a", "1", "2");
		assertEqual("103.00");
	}

	@Test
	void putInANewTransactionInsideOfTheCallers() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.spring.addInNewTransaction("a", "1");
			status.setRollbackOnly();
		});
		assertPublished("101.00");
	}

	@Test
	void putWithoutATransaction() {
		this.spring.addInCallersTransaction("a", "1");
		assertThat(this.application.events().takeResults()).containsExactly("published");
		assertEqual("101.00");
	}

	@Test
	void putCostsTwoCalls() {
		this.spring.add("a", "1");
		this.redis.configResetStat();
		this.spring.add("a", "1");
		assertThat(this.redis.commandCalls("evalsha")).isEqualTo(2);
	}

	@Test
	void putOfNothingPublishesAbsence() {
		assertThat(this.spring.find("b")).isNull();
		assertThat(this.spring.add("b", "1")).isNull();
		this.spring.loads().set(0);
		assertThat(this.spring.find("b")).isNull();
		assertThat(this.spring.loads()).hasValue(0);
	}

	@Test
	void conditionAndUnlessOfAPut() {
		this.spring.addUnlessNegative("a", "1");
		assertPublished("101.00");
		this.atCommit.clear();
		this.spring.addUnlessNegative("a", "0");
		assertThat(this.atCommit).as("no writer").containsExactly("entry, not announced");
		assertThat(this.application.events().takeResults()).doesNotContain("published", "invalidated");
		this.spring.addUnlessNegative("a", "-200");
		assertThat(this.application.events().takeResults()).doesNotContain("published", "invalidated");
		assertThat(this.spring.find("a").amount()).as("as it was put last").isEqualTo(new BigDecimal("101.00"));
	}

	@Test
	void putWhoseKeyIsKnownAfterwardsIsPublished() {
		this.spring.addByResult("a", "1");
		assertPublished("101.00");
	}

	@Test
	void putWhoseKeyIsKnownAfterwardsIsPublishedWithTheTransactionAroundIt() {
		this.application.transaction().executeWithoutResult((status) -> this.spring.addByResult("a", "1"));
		assertPublished("101.00");
	}

	@Test
	void putBesideOurWriterIsPartOfIt() {
		this.spring.addByBoth("a", "1");
		assertPublished("101.00");
	}

	@Test
	void evictInTheTransactionOfTheMethod() {
		this.spring.addAndEvict("a", "1");
		assertEvicted("101.00");
	}

	@Test
	void evictInTheTransactionOfTheCaller() {
		this.application.transaction()
			.executeWithoutResult((status) -> this.spring.addAndEvictInCallersTransaction("a", "1"));
		assertEvicted("101.00");
		this.application.transaction().executeWithoutResult((status) -> {
			this.spring.addAndEvictInCallersTransaction("a", "1");
			status.setRollbackOnly();
		});
		assertThat(state()).isEqualTo("entry, not announced");
		assertEqual("101.00");
	}

	@Test
	void evictWithoutATransaction() {
		this.spring.addAndEvictInCallersTransaction("a", "1");
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertEqual("101.00");
	}

	@Test
	void evictBeforeTheMethodAndOnceMoreAfterIt() {
		List<String> during = new ArrayList<>();
		this.spring.afterChange(() -> {
			during.add(state());
			// Another caller brings the old value back
			CompletableFuture.runAsync(() -> this.spring.find("a")).join();
			during.add(state());
		});
		this.spring.evictAndAdd("a", "1");
		assertThat(during).containsExactly("no entry, not announced", "entry, not announced");
		assertThat(this.atCommit).containsExactly("no entry, announced");
		assertEqual("101.00");
	}

	@Test
	void clearInTheTransactionOfTheMethod() {
		this.spring
			.afterChange(() -> assertThat(CompletableFuture.supplyAsync(() -> this.spring.find("a")).join().amount())
				.isEqualTo(new BigDecimal("100.00")));
		this.spring.addAndClear("a", "1");
		assertEqual("101.00");
	}

	@Test
	void clearBeforeTheMethodAndOnceMoreAfterIt() {
		this.spring.loads().set(0);
		this.spring.afterChange(
				() -> assertThat(CompletableFuture.supplyAsync(() -> this.spring.find("a")).join()).isNotNull());
		this.spring.clearAndAdd("a", "1");
		assertThat(this.spring.loads()).hasValue(1);
		assertEqual("101.00");
	}

	@Test
	void severalOperations() {
		this.spring.findOptional("a");
		this.spring.findGrouped("a");
		this.application.events().takeResults();
		this.spring.addEverywhere("a", "1");
		assertThat(this.application.events().takeResults()).containsExactlyInAnyOrder("published", "published",
				"invalidated");
		this.spring.loads().set(0);
		assertThat(this.spring.findOptional("a")).contains(this.balances.stored("a"));
		assertEqual("101.00");
		assertThat(this.spring.loads()).hasValue(0);
		assertThat(this.spring.findGrouped("a")).isEqualTo(this.balances.stored("a"));
		assertThat(this.spring.loads()).hasValue(1);
	}

	@Test
	void readerMayEvictSomethingElse() {
		this.spring.findGrouped("a");
		this.application.events().takeResults();
		this.spring.findAndEvict("a");
		assertThat(this.application.events().takeResults()).containsExactly("hit", "invalidated");
		this.application.caches().evict("balances", "a");
		this.spring.findGrouped("a");
		this.application.events().takeResults();
		this.spring.loads().set(0);
		this.spring.findAndEvict("a");
		this.spring.findAndEvict("a");
		assertThat(this.spring.loads()).hasValue(1);
		assertThat(this.application.events().takeResults()).startsWith("miss").contains("invalidated", "hit");
		this.spring.findGrouped("a");
		assertThat(this.spring.loads()).hasValue(2);
	}

	@Test
	void readerThatLoadedBeforeTheCommitDoesNotStoreItAfterTheEviction() throws Exception {
		this.application.caches().evict("balances", "a");
		CompletableFuture<Void> loaded = new CompletableFuture<>();
		CompletableFuture<Void> evicted = new CompletableFuture<>();
		this.spring.whileLoading(() -> {
			loaded.complete(null);
			evicted.join();
		});
		CompletableFuture<Balance> reader = CompletableFuture.supplyAsync(() -> this.spring.find("a"),
				(task) -> new Thread(task, "reader").start());
		loaded.get(30, TimeUnit.SECONDS);
		this.spring.addAndEvict("a", "1");
		evicted.complete(null);
		assertThat(reader.get(30, TimeUnit.SECONDS).amount()).isEqualTo(new BigDecimal("100.00"));
		this.spring.whileLoading(() -> {
		});
		assertEqual("101.00");
	}

	@Test
	void nothingIsCommittedThatCannotBeAnnouncedIfConfigured() {
		try (StandaloneRedis redis = RedisServers.standalone();
				TcpProxy network = new TcpProxy(redis.primary());
				CacheApplication strict = SpringBalances.start(
						new String[] { "spring.data.redis.host=" + network.host(),
								"spring.data.redis.port=" + network.port() },
						"ge.redis.cache.on-redis-down=fail-tx", "ge.redis.outage.command-timeout=500ms")) {
			strict.balances().insert("a", "100");
			SpringBalances desk = strict.bean(SpringBalances.class);
			network.cut();
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.add("a", "1"));
			assertThatExceptionOfType(RedisUnavailableException.class).isThrownBy(() -> desk.addAndEvict("a", "1"));
			assertThat(strict.balances().stored("a").amount()).isEqualTo(new BigDecimal("100.00"));
		}
	}

	@Test
	void writersBesideEachOtherLeaveNothingOld() {
		this.application.caches().write("balances", "a", () -> {
			CompletableFuture.runAsync(() -> this.spring.addInCallersTransaction("a", "1")).join();
			return new Balance("a", BigDecimal.ONE, 99);
		});
		assertThat(this.application.events().takeResults()).containsExactly("superseded", "superseded");
		assertEqual("101.00");
		assertThat(this.application.bean(CacheManager.class).getCacheNames()).contains("balances");
	}

}
