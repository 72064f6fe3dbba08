// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.ge.redis.cache.CacheApplication.Balance;
import io.ge.redis.cache.CacheApplication.Balances;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Writers in every arrangement with transactions. At each commit the writer must have
 * announced itself, and afterwards the cache must equal the database.
 */
@OnRedis
class CacheTransactionsIntegrationTests {

	private RedisEndpoint server;

	private RedisFixture redis;

	private CacheApplication application;

	private Balances balances;

	/** What stood in Redis at each commit: whether the entry, whether an announcement. */
	private final List<String> atCommit = new ArrayList<>();

	@BeforeEach
	void start(RedisFixture redis) {
		this.redis = redis;
		this.server = redis.endpoints().get(0);
		use(CacheApplication.start(redis.properties()));
	}

	private void use(CacheApplication started) {
		this.application = started.connected();
		this.balances = started.balances();
		this.balances.insert("a", "100");
		this.balances.find("a");
		this.balances.afterCommit(() -> this.atCommit.add(state()));
		started.events().takeResults();
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	private String state() {
		Object entry = this.server.command("EXISTS", "ge:cache:{balances:a}:e1");
		return (Long.valueOf(1).equals(entry) ? "entry" : "no entry")
				+ (isAnnounced() ? ", announced" : ", not announced");
	}

	private boolean isAnnounced() {
		Object fields = this.server.command("HKEYS", "ge:cache:{balances:a}:w1");
		return fields instanceof List<?> names && names.stream().anyMatch((name) -> name.toString().startsWith("t:"));
	}

	private void assertPublished(String amount) {
		assertThat(this.atCommit).isNotEmpty().containsOnly("no entry, announced");
		assertThat(this.application.events().takeResults()).containsExactly("published");
		assertEqual(amount);
	}

	private void assertEqual(String amount) {
		assertThat(isAnnounced()).isFalse();
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"))
			.extracting(Balance::amount)
			.isEqualTo(new BigDecimal(amount));
	}

	private void assertUnchangedInCache() {
		assertThat(this.atCommit).isEmpty();
		assertThat(state()).isEqualTo("entry, not announced");
		assertEqual("100.00");
	}

	@Test
	void transactionOfTheMethod() {
		this.balances.add("a", "1");
		assertPublished("101.00");
	}

	@Test
	void transactionOfTheMethodRolledBack() {
		assertThatIllegalStateException().isThrownBy(() -> this.balances.addAndFail("a", "1"));
		assertUnchangedInCache();
	}

	@Test
	void transactionOfTheMethodOutsideOfTheCache(RedisFixture redis) {
		this.application.close();
		use(CacheApplication.start(TransactionsOutermost.class, redis.properties(),
				"jdbc:h2:mem:outermost;DB_CLOSE_DELAY=-1"));
		this.balances.add("a", "1");
		assertPublished("101.00");
		assertThatIllegalStateException().isThrownBy(() -> this.balances.addAndFail("a", "1"));
		assertEqual("101.00");
		this.application.transaction().executeWithoutResult((status) -> this.balances.addInNewTransaction("a", "1"));
		assertEqual("102.00");
	}

	@Test
	void transactionOfTheCaller() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.addInCallersTransaction("a", "1");
			assertThat(state()).isEqualTo("entry, not announced");
			assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
			assertThat(CompletableFuture.supplyAsync(() -> this.balances.find("a")).join().amount())
				.isEqualTo(new BigDecimal("100.00"));
		});
		assertThat(this.application.events().takeResults()).containsExactly("bypass", "loaded", "hit", "published");
		assertThat(this.atCommit).containsExactly("no entry, announced");
		assertEqual("101.00");
	}

	@Test
	void transactionOfTheCallerRolledBack() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.addInCallersTransaction("a", "1");
			status.setRollbackOnly();
		});
		assertUnchangedInCache();
	}

	@Test
	@Wide
	void valueReadsItsOwnEntryInTheTransactionOfTheCaller() {
		this.application.transaction()
			.executeWithoutResult((status) -> this.balances.addAndFindInCallersTransaction("a", "1"));
		assertEqual("101.00");
		this.server.command("DEL", "ge:cache:{balances:a}:e1");
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.addAndFindInCallersTransaction("a", "1");
			assertThat(state()).isEqualTo("no entry, not announced");
			status.setRollbackOnly();
		});
		assertEqual("101.00");
	}

	@Test
	void callerCommitsAlthoughTheWriterFailed() {
		this.application.transaction()
			.executeWithoutResult((status) -> assertThatIllegalStateException()
				.isThrownBy(() -> this.balances.addAndFailInCallersTransaction("a", "1")));
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertEqual("101.00");
	}

	@Test
	void lastOfSeveralWritersInOneTransactionIsPublished() {
		this.redis.configResetStat();
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.add("a", "1");
			this.balances.add("a", "1");
		});
		assertThat(this.redis.commandCalls("evalsha")).isLessThanOrEqualTo(4);
		assertPublished("102.00");
	}

	@Test
	void transactionInsideOfTheMethod() {
		this.balances.addInTemplates("a", "1");
		assertPublished("101.00");
	}

	@Test
	@Wide
	void severalTransactionsInsideOfTheMethod() {
		this.balances.addInTemplates("a", "1", "2");
		assertThat(this.atCommit).hasSize(2).containsOnly("no entry, announced");
		assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
		assertEqual("103.00");
	}

	@Test
	@Wide
	void transactionInsideOfTheMethodRolledBack() {
		this.balances.addInRolledBackTemplate("a", "1");
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertEqual("100.00");
	}

	@Test
	@Wide
	void methodFailsAfterTheCommitInsideOfIt() {
		assertThatIllegalStateException().isThrownBy(() -> this.balances.addInTemplateAndFail("a", "1"));
		assertThat(this.atCommit).containsExactly("no entry, announced");
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertEqual("101.00");
	}

	@Test
	@Wide
	void transactionInsideOfTheMethodAndCallerRollsBack() {
		TransactionTemplate inner = this.application.transaction();
		inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.application.transaction().executeWithoutResult((outer) -> {
			this.application.caches()
				.write("balances", "a",
						() -> inner.execute((status) -> this.balances.addInCallersTransaction("a", "1")));
			outer.setRollbackOnly();
		});
		assertThat(this.atCommit).containsExactly("no entry, announced");
		assertEqual("101.00");
	}

	@Test
	void newTransactionOfTheMethodInsideOfTheCallers() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.addInNewTransaction("a", "1");
			assertThat(this.application.events().takeResults()).containsExactly("published");
			status.setRollbackOnly();
		});
		assertThat(this.atCommit).containsExactly("no entry, announced");
		assertEqual("101.00");
	}

	@Test
	void noTransaction() {
		this.balances.addInCallersTransaction("a", "1");
		assertThat(this.application.events().takeResults()).containsExactly("published");
		assertEqual("101.00");
	}

	@Test
	@Wide
	void noTransactionAndTheMethodFails() {
		assertThatIllegalStateException().isThrownBy(() -> this.balances.addAndFailInCallersTransaction("a", "1"));
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertEqual("101.00");
	}

	@Test
	@Wide
	void callersTransactionSuspendedByTheMethodAndRolledBack() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.addOutsideOfTransactions("a", "1");
			status.setRollbackOnly();
		});
		assertEqual("101.00");
	}

	@Test
	void writersWithoutTransactionBesideEachOtherPublishNothing() {
		this.application.caches().write("balances", "a", () -> {
			CompletableFuture.runAsync(() -> this.balances.addInCallersTransaction("a", "1")).join();
			return new Balance("a", BigDecimal.ONE, 99);
		});
		assertThat(this.application.events().takeResults()).containsExactly("superseded", "superseded");
		assertThat(state()).isEqualTo("no entry, not announced");
		assertEqual("101.00");
	}

	@Test
	@Wide
	void nestedWriterIsPublishedWithTheTransaction() {
		this.application.transaction().executeWithoutResult((status) -> this.balances.addNested("a", "1", false));
		assertPublished("101.00");
	}

	@Test
	void nestedWriterIsRolledBackAlone() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.addNested("a", "1", false);
			assertThatIllegalStateException().isThrownBy(() -> this.balances.addNested("a", "5", true));
		});
		assertThat(this.application.events().takeResults()).containsExactly("invalidated");
		assertEqual("101.00");
	}

	@Test
	void rollbackToSavepointTakesItsWritersBack() {
		this.application.transaction().executeWithoutResult((status) -> {
			this.balances.addInCallersTransaction("a", "1");
			Object savepoint = status.createSavepoint();
			this.balances.addInCallersTransaction("a", "7");
			status.rollbackToSavepoint(savepoint);
		});
		assertPublished("101.00");
		this.application.transaction().executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			this.balances.addInCallersTransaction("a", "7");
			status.rollbackToSavepoint(savepoint);
		});
		assertEqual("101.00");
	}

	@Test
	@Wide
	void commitIsVetoed() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.application.transaction().executeWithoutResult((status) -> {
				this.balances.addInCallersTransaction("a", "1");
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						throw new IllegalStateException("no");
					}

				});
			}));
		assertUnchangedInCache();
	}

	@Test
	void outcomeOfTheCommitIsUnknown(RedisFixture redis) {
		this.application.close();
		use(CacheApplication.start(UncertainCommits.class, redis.properties(),
				"jdbc:h2:mem:uncertain;DB_CLOSE_DELAY=-1"));
		this.application.bean(UncertainManager.class).uncertain = true;
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> this.balances.add("a", "1"));
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> this.application.transaction()
			.executeWithoutResult((status) -> this.balances.addInCallersTransaction("a", "1")));
		assertThat(this.application.events().takeResults()).containsExactly("invalidated", "invalidated");
		this.application.bean(UncertainManager.class).uncertain = false;
		assertEqual("102.00");
	}

	@Test
	void managerWithoutListeners() {
		TransactionTemplate transaction = new TransactionTemplate(
				new DataSourceTransactionManager(this.application.bean(DataSource.class)));
		transaction.executeWithoutResult((status) -> {
			this.balances.addInCallersTransaction("a", "1");
			assertThat(this.balances.find("a")).isEqualTo(this.balances.stored("a"));
		});
		assertThat(this.application.events().takeResults()).containsExactly("bypass", "loaded", "published");
		assertThat(this.atCommit).containsExactly("no entry, announced");
		assertEqual("101.00");
		transaction.executeWithoutResult((status) -> {
			this.balances.addInCallersTransaction("a", "1");
			status.setRollbackOnly();
		});
		assertEqual("101.00");
	}

	@Test
	@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	@Wide
	void transactionAroundTheWriterIsRolledBackOnAnotherThread(RedisFixture redis) {
		this.application.close();
		use(CacheApplication.start(redis.properties()));
		OuterTransaction outer = new OuterTransaction();
		TransactionTemplate inOuter = new TransactionTemplate(outer);
		GeCaches caches = this.application.caches();
		inOuter.executeWithoutResult((status) -> caches.evict("balances", "b"));
		inOuter.executeWithoutResult((status) -> caches.write("balances", "a", () -> {
			outer.end(TransactionSynchronization.STATUS_ROLLED_BACK);
			return new Balance("a", new BigDecimal("7.00"), 1);
		}));
		assertThat(this.application.events().takeResults()).containsExactly("rolled_back", "invalidated");
		assertEqual("100.00");
	}

	@Test
	void valueFromTheArguments() {
		this.balances.save(new Balance("a", new BigDecimal("7.00"), 3));
		assertThat(this.application.events().takeResults()).containsExactly("published");
		this.balances.loads().set(0);
		assertEqual("7.00");
		assertThat(this.balances.loads()).hasValue(0);
	}

	@Test
	@Wide
	void valueThatIsNoneRemovesTheEntryAndFailsNothing() {
		this.balances.addWithForeignValue("a", "1");
		this.balances.addWithFailingValue("a", "1");
		assertThat(this.application.events().takeResults()).containsExactly("invalidated", "invalidated");
		assertEqual("102.00");
	}

	@Test
	void conditionAndUnless() {
		this.balances.addUnlessNegative("a", "1");
		this.balances.addUnlessNegative("a", "0");
		this.balances.addUnlessNegative("a", "-200");
		assertThat(this.application.events().takeResults()).containsExactly("published", "invalidated");
		assertEqual("-99.00");
	}

	@Test
	void putAndEvictAfterTheCommit() {
		GeCaches caches = this.application.caches();
		this.application.transaction().executeWithoutResult((status) -> {
			Balance changed = new Balance("a", new BigDecimal("5.00"), 1);
			caches.put("balances", "a", changed);
			assertThat(state()).isEqualTo("entry, not announced");
		});
		assertThat(this.balances.find("a").amount()).isEqualTo(new BigDecimal("5.00"));
		this.application.transaction().executeWithoutResult((status) -> {
			caches.evict("balances", "a");
			assertThat(state()).isEqualTo("entry, not announced");
		});
		assertThat(state()).isEqualTo("no entry, not announced");
		caches.put("balances", "a", new Balance("a", new BigDecimal("6.00"), 1));
		assertThat(state()).as("without a transaction").isEqualTo("no entry, not announced");
		assertEqual("100.00");
	}

	@Test
	void readerWithAnOldSnapshotDoesNotStoreIt() {
		TransactionTemplate reading = this.application.transaction();
		reading.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		reading.executeWithoutResult((status) -> {
			assertThat(this.balances.stored("a").amount()).isEqualTo(new BigDecimal("100.00"));
			CompletableFuture.runAsync(() -> {
				this.balances.add("a", "1");
				this.server.command("DEL", "ge:cache:{balances:a}:e1");
			}).join();
			assertThat(this.balances.find("a").amount()).isEqualTo(new BigDecimal("100.00"));
		});
		assertThat(state()).isEqualTo("no entry, not announced");
		assertEqual("101.00");
	}

	@Test
	@Wide
	void readerInATransactionStoresWhatIsCurrent() {
		this.server.command("FLUSHALL");
		this.balances.loads().set(0);
		this.balances.findInTransaction("a");
		this.balances.findInTransaction("a");
		this.application.transaction().executeWithoutResult((status) -> this.balances.find("a"));
		assertThat(this.balances.loads()).hasValue(1);
	}

	@EnableTransactionManagement(order = 0)
	static class TransactionsOutermost extends CacheApplication.Configuration {

	}

	static class UncertainCommits extends CacheApplication.Configuration {

		@Bean
		UncertainManager transactionManager(DataSource dataSource) {
			return new UncertainManager(dataSource);
		}

	}

	/**
	 * Commits and says that it does not know.
	 */
	static class UncertainManager extends DataSourceTransactionManager {

		private volatile boolean uncertain;

		UncertainManager(DataSource dataSource) {
			super(dataSource);
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			super.doCommit(status);
			if (this.uncertain) {
				throw new TransactionSystemException("who knows");
			}
		}

	}

}
