// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.idempotency.EffectAlreadyCommittedException;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyMismatchException;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What the witness promises on every kind of database.
 */
abstract class WitnessContract {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class,
				TransactionManagerCustomizationAutoConfiguration.class, GeRedisAutoConfiguration.class,
				IdempotencyAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.idempotency.witness=required");

	/** Where the database is, as {@code name=value}. */
	abstract String[] database();

	/** What Spring Boot calls this kind of database. */
	abstract DatabaseDriver driver();

	/** How the effects' table numbers its rows. */
	abstract String identity();

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void rowIsCommittedWithTheEffectAndHoldsTheResult() {
		run((desk) -> {
			Sale sale = desk.shop().sell("key", 3);
			assertThat(desk.rows()).isOne();
			assertThat(new String(desk.jdbc.queryForObject("select result from ge_idempotency", byte[].class)))
				.isEqualTo("{\"id\":" + sale.id() + ",\"quantity\":3}");
			assertThat(desk.jdbc.queryForObject("select fence from ge_idempotency", Long.class)).isEqualTo(desk.fence);
			assertThat(desk.jdbc.queryForObject("select operation from ge_idempotency", String.class))
				.isEqualTo("sell");
		});
	}

	@Test
	void rowIsGoneWithTheEffect() {
		run((desk) -> {
			desk.failure = "after";
			assertThatIllegalStateException().isThrownBy(() -> desk.shop().sell("key", 3)).withMessage("after");
			assertThat(desk.rows()).isZero();
			desk.failure = "";
			assertThat(desk.shop().sell("key", 3).quantity()).isEqualTo(3);
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	void costsTwoScriptCallsAndOneInsertAndNothingForARepetition() {
		run((desk) -> {
			desk.shop().sell("warm", 1);
			SharedRedis.standalone().configResetStat();
			desk.shop().sell("key", 3);
			assertThat(SharedRedis.standalone().commandCalls("evalsha")).isEqualTo(2);
			desk.jdbc.execute("alter table ge_idempotency rename to ge_away");
			desk.shop().sell("key", 3);
			desk.jdbc.execute("alter table ge_away rename to ge_idempotency");
			assertThat(SharedRedis.standalone().commandCalls("evalsha")).isEqualTo(3);
		});
	}

	@Test
	void deathBetweenCommitAndCompletionIsAnsweredFromTheRow() {
		run((desk) -> {
			Sale sale = desk.shop().sell("key", 3);
			dieBeforeCompletion();
			assertThat(desk.shop().sell("key", 3)).isEqualTo(sale);
			assertThat(desk.inserts).hasValue(1);
			assertThat(desk.sales()).isOne();
			// And Redis knows it again
			desk.jdbc.update("delete from ge_idempotency");
			assertThat(desk.shop().sell("key", 3)).isEqualTo(sale);
			assertThat(desk.outcomes).containsExactly("executed", "replayed", "replayed");
			assertThatExceptionOfType(IdempotencyMismatchException.class).isThrownBy(() -> desk.shop().sell("key", 4));
		});
	}

	@Test
	void everythingLostByRedisIsFoundAtTheCommit() {
		run((desk) -> {
			Sale sale = desk.shop().sell("key", 3);
			SharedRedis.standalone().flushAll();
			assertThat(desk.shop().sell("key", 3)).isEqualTo(sale);
			assertThat(desk.sales()).isOne();
			SharedRedis.standalone().flushAll();
			assertThatExceptionOfType(IdempotencyMismatchException.class).isThrownBy(() -> desk.shop().sell("key", 4));
			assertThat(desk.shop().sell("key", 3)).isEqualTo(sale);
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	void effectThatTheDataRefusesTwiceIsFoundAfterTheFailure() {
		run((desk) -> {
			desk.shop().reserve("seat", "key");
			SharedRedis.standalone().flushAll();
			assertThat(desk.shop().reserve("seat", "key")).isEqualTo("reserved seat");
			assertThatExceptionOfType(DuplicateKeyException.class)
				.isThrownBy(() -> desk.shop().reserve("seat", "other"));
		});
	}

	@Test
	@Wide
	void ownerThatWasPausedFindsTheEffectOfTheOneThatTookOver() {
		runTwo((desk, other) -> {
			CompletableFuture<Sale> paused = desk.sellAndPause("key");
			dieBeforeCompletion();
			Sale sale = other.shop().sell("key", 3);
			desk.resume.countDown();
			assertThat(join(paused)).isEqualTo(sale);
			assertThat(desk.sales()).isOne();
			assertThat(desk.shop().sell("key", 3)).isEqualTo(sale);
		});
	}

	@Test
	void ownerThatCommitsWhileAnotherOneRunsHasTheOnlyEffect() {
		runTwo((desk, other) -> {
			CompletableFuture<Sale> first = desk.sellAndPause("key");
			dieBeforeCompletion();
			CompletableFuture<Sale> second = other.sellAndPause("key");
			desk.resume.countDown();
			Sale sale = join(first);
			other.resume.countDown();
			assertThat(join(second)).isEqualTo(sale);
			assertThat(desk.sales()).isOne();
			assertThat(desk.outcomes).containsExactly("lease_lost");
			assertThat(other.outcomes).containsExactly("replayed");
			assertThat(desk.shop().sell("key", 3)).isEqualTo(sale);
		});
	}

	@Test
	void commitWhoseReplyWasLostIsFound() {
		run(this.runner.withUserConfiguration(LosesReplies.class), (desk) -> {
			assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> desk.shop().sell("key", 3));
			assertThat(desk.shop().sell("key", 3).quantity()).isEqualTo(3);
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	@Wide
	void effectInATransactionOfTheCallerWhoseCommitHasFailedIsNotReplayed() {
		run(this.runner.withUserConfiguration(LosesCommits.class), (desk) -> {
			assertThatExceptionOfType(TransactionSystemException.class)
				.isThrownBy(() -> desk.transactions.executeWithoutResult((status) -> desk.shop().sell("key", 3)));
			assertThat(desk.sales()).isZero();
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.shop().sell("key", 3));
		});
	}

	@Test
	void failureAfterTheCommitOfAMethodThatHadReturnedIsAnsweredFromTheRow() {
		run((desk) -> {
			assertThatIllegalStateException().isThrownBy(() -> desk.shop().sellWithFailingCallback("key"));
			assertThat(desk.shop().sellWithFailingCallback("key")).isEqualTo(7);
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	void failureAfterACommitInsideTheMethodStaysUnknown() {
		run((desk) -> {
			desk.failure = "later";
			assertThatIllegalStateException().isThrownBy(() -> desk.shop().sellInside("key"));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.shop().sellInside("key"));
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	@Wide
	void effectOfACallThatMayBeRetriedIsNotCommittedAgain() {
		run(this.runner.withPropertyValues("ge.redis.idempotency.operations.inside.on-unknown-outcome=retry"),
				(desk) -> {
					desk.failure = "later";
					assertThatIllegalStateException().isThrownBy(() -> desk.shop().sellInside("key"));
					assertThatExceptionOfType(ResponseLostException.class)
						.isThrownBy(() -> desk.shop().sellInside("key"));
					assertThat(desk.inserts).hasValue(2);
					assertThat(desk.sales()).isOne();
				});
	}

	@Test
	void resultThatWasUnknownAtTheCommitIsRecoveredOrRefused() {
		run((desk) -> {
			desk.shop().sellInside("key");
			desk.shop().sellInsideRecovering("key");
			assertThat(desk.rows()).isEqualTo(2);
			dieBeforeCompletion();
			assertThatExceptionOfType(ResponseLostException.class).isThrownBy(() -> desk.shop().sellInside("key"));
			assertThat(desk.shop().sellInsideRecovering("key")).isEqualTo("recovered key");
			assertThat(desk.shop().sellInsideRecovering("key")).isEqualTo("recovered key");
			assertThat(desk.sales()).isEqualTo(2);
		});
	}

	@Test
	void rowIsInTheCallersTransactionIfTheCallJoinedIt() {
		run((desk) -> {
			desk.transactions.executeWithoutResult((status) -> {
				desk.shop().sell("key", 3);
				status.setRollbackOnly();
			});
			assertThat(desk.rows()).isZero();
			Sale sale = desk.transactions.execute((status) -> desk.shop().sell("key", 3));
			assertThat(desk.rows()).isOne();
			dieBeforeCompletion();
			assertThat(desk.transactions.<Sale>execute((status) -> desk.shop().sell("key", 3))).isEqualTo(sale);
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	void callersTransactionIsRolledBackIfItWouldBeASecondEffect() {
		run((desk) -> {
			Sale sale = desk.shop().sell("key", 3);
			SharedRedis.standalone().flushAll();
			assertThatExceptionOfType(EffectAlreadyCommittedException.class)
				.isThrownBy(() -> desk.transactions.executeWithoutResult((status) -> desk.shop().sell("key", 3)));
			assertThat(desk.sales()).isOne();
			assertThat(desk.transactions.<Sale>execute((status) -> desk.shop().sell("key", 3))).isEqualTo(sale);
			assertThat(desk.outcomes).containsExactly("executed", "lease_lost", "replayed");
		});
	}

	@Test
	@Wide
	void nothingIsWitnessedThatWasRolledBackToASavepoint() {
		run((desk) -> {
			TransactionTemplate nested = desk.template(TransactionDefinition.PROPAGATION_NESTED);
			desk.transactions.executeWithoutResult((outer) -> nested.executeWithoutResult((status) -> {
				desk.shop().sell("key", 3);
				status.setRollbackOnly();
			}));
			assertThat(desk.rows()).isZero();
			desk.shop().sell("key", 3);
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	void nothingIsWitnessedThatWasRolledBackToItsOwnSavepoint() {
		run((desk) -> {
			desk.failure = "nested";
			desk.transactions.executeWithoutResult(
					(status) -> assertThatIllegalStateException().isThrownBy(() -> desk.shop().sellNested("key")));
			assertThat(desk.rows()).isZero();
			desk.failure = "";
			desk.transactions.executeWithoutResult((status) -> desk.shop().sellNested("key"));
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	@Wide
	void transactionWithinThatOfTheEffectIsNoWitness() {
		run((desk) -> {
			desk.failure = "outer";
			assertThatIllegalStateException().isThrownBy(() -> desk.shop().sellWithAudit("key"));
			assertThat(desk.rows()).isZero();
			desk.failure = "";
			desk.shop().sellWithAudit("other");
			assertThat(desk.rows()).isOne();
		});
	}

	@Test
	@Wide
	void methodsOwnTransactionIsTheWitnessAlthoughTheCallerHasOne() {
		run((desk) -> {
			desk.transactions.executeWithoutResult((status) -> {
				desk.shop().sellApart("key");
				status.setRollbackOnly();
			});
			assertThat(desk.rows()).isOne();
			assertThat(desk.sales()).isOne();
			assertThat(desk.shop().sellApart("key")).isEqualTo("apart");
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	void callsThatReadOnlyOrAreRefusedAreNotWitnessed() {
		run((desk) -> {
			desk.shop().count("key");
			assertThat(desk.rows()).isZero();
		});
	}

	@Test
	@Wide
	void callInCodeIsWitnessedToo() {
		run((desk) -> {
			Sale first = desk.shop().sellInCode("key");
			SharedRedis.standalone().flushAll();
			assertThatExceptionOfType(EffectAlreadyCommittedException.class)
				.isThrownBy(() -> desk.shop().sellInCode("key"));
			assertThat(desk.shop().sellInCode("key")).isEqualTo(first);
			assertThat(desk.sales()).isOne();
		});
	}

	@Test
	@Wide
	void connectionInATransactionOfSomethingElseIsNoWitness() {
		run((desk) -> {
			DataSource dataSource = desk.jdbc.getDataSource();
			TransactionalRecords witness = new TransactionalRecords(dataSource, Duration.ofDays(1));
			ConnectionHolder holder = new ConnectionHolder(connect(dataSource));
			TransactionSynchronizationManager.setActualTransactionActive(true);
			TransactionSynchronizationManager.bindResource(dataSource, holder);
			try {
				assertThat(witness.isInTransaction()).isFalse();
				JdbcUtils.closeConnection(holder.getConnection());
				holder.released();
				assertThat(witness.isInTransaction()).isFalse();
				TransactionSynchronizationManager.unbindResource(dataSource);
				TransactionSynchronizationManager.bindResource(dataSource, new ConnectionHolder(() -> {
					throw new UnsupportedOperationException();
				}));
				assertThat(witness.isInTransaction()).isFalse();
			}
			finally {
				TransactionSynchronizationManager.unbindResource(dataSource);
				TransactionSynchronizationManager.setActualTransactionActive(false);
				witness.stop();
			}
		});
	}

	private static Connection connect(DataSource dataSource) {
		try {
			return dataSource.getConnection();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@Wide
	void rowsAreRemovedWhenTheyHaveExpired() {
		run((desk) -> {
			TransactionalRecords witness = new TransactionalRecords(desk.jdbc.getDataSource(), Duration.ofDays(1));
			witness.probe();
			desk.transactions.executeWithoutResult((status) -> {
				witness.write(new TransactionalRecord("old", "sell", 1, new byte[32], null), Duration.ofMillis(-2000));
				witness.write(new TransactionalRecord("new", "sell", 2, new byte[32], null), Duration.ofHours(1));
			});
			assertThat(witness.purge()).isOne();
			assertThat(witness.find("old", false)).isNull();
			assertThat(witness.find("new", false)).isNotNull();
			witness.stop();
		});
	}

	@Test
	void expiredRowsAreRemovedInTheBackground() {
		run(this.runner.withPropertyValues("ge.redis.idempotency.witness-purge-interval=50ms",
				"ge.redis.idempotency.lease=100ms", "ge.redis.idempotency.ttl=100ms"), (desk) -> {
					desk.shop().sell("key", 3);
					Awaitility.await().until(() -> desk.rows() == 0);
				});
	}

	@Test
	@Wide
	void expiredRowThatIsInTheWayIsRemovedInTheBackground() {
		run((desk) -> {
			TransactionalRecords former = new TransactionalRecords(desk.jdbc.getDataSource(), Duration.ofDays(1));
			former.probe();
			TransactionalRecord row = new TransactionalRecord("old", "sell", 1, new byte[32], null);
			desk.transactions.executeWithoutResult((status) -> former.write(row, Duration.ofMillis(-2000)));
			former.stop();
			TransactionalRecords witness = new TransactionalRecords(desk.jdbc.getDataSource(), Duration.ofMillis(50));
			witness.probe();
			try {
				assertThatExceptionOfType(EffectAlreadyCommittedException.class).isThrownBy(() -> desk.transactions
					.executeWithoutResult((status) -> witness.write(row, Duration.ofHours(1))));
				Awaitility.await().until(() -> desk.rows() == 0);
			}
			finally {
				witness.stop();
			}
		});
	}

	@Test
	void rowOfAnAttemptThatWasRolledBackIsNotThatOfTheNext() {
		run(this.runner.withUserConfiguration(Retries.class), (desk) -> {
			Sale sale = desk.shop().sellWithRetry("key");
			assertThat(sale.quantity()).isEqualTo(2);
			assertThat(desk.sales()).isOne();
			dieBeforeCompletion();
			assertThat(desk.shop().sellWithRetry("key")).isEqualTo(sale);
		});
	}

	@Test
	@Wide
	void looksNeedNoConnectionBesideThatOfTheCaller() {
		run(this.runner.withPropertyValues("spring.datasource.hikari.maximum-pool-size=1",
				"spring.datasource.hikari.connection-timeout=10000"), (desk) -> {
					Sale sale = desk.shop().sell("key", 3);
					dieBeforeCompletion();
					assertThat(desk.transactions.<Sale>execute((status) -> desk.shop().sell("key", 3))).isEqualTo(sale);
					desk.shop().reserve("seat", "other");
					SharedRedis.standalone().flushAll();
					desk.outcomes.clear();
					assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> desk.transactions
						.executeWithoutResult((status) -> desk.shop().reserve("seat", "other")));
					assertThat(desk.outcomes).containsExactly("lease_lost");
				});
	}

	@Test
	void whoTakesOverDoesNotRunBeforeItIsKnownWhetherThereAreRows() {
		run((desk) -> {
			Sale sale = desk.shop().sell("key", 3);
			dieBeforeCompletion();
			instance(this.runner, "").withUserConfiguration(GoesAway.class)
				.withPropertyValues("ge.redis.idempotency.witness=auto")
				.run((context) -> {
					Desk other = context.getBean(Desk.class);
					assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> other.shop().sell("key", 3));
					assertThat(other.inserts).hasValue(0);
					context.getBean(GoesAway.class).away.set(false);
					assertThat(other.shop().sell("key", 3)).isEqualTo(sale);
					assertThat(desk.sales()).isOne();
				});
		});
	}

	@Test
	@Wide
	void callThatFailsBeforeItBeginsFreesItsKey() {
		run((desk) -> {
			ConnectionHolder holder = new ConnectionHolder(() -> {
				throw new LinkageError("no driver");
			});
			DataSource dataSource = desk.jdbc.getDataSource();
			TransactionSynchronizationManager.initSynchronization();
			TransactionSynchronizationManager.setActualTransactionActive(true);
			TransactionSynchronizationManager.bindResource(dataSource, holder);
			try {
				assertThatExceptionOfType(LinkageError.class).isThrownBy(() -> desk.shop().sell("key", 3));
			}
			finally {
				TransactionSynchronizationManager.unbindResource(dataSource);
				TransactionSynchronizationManager.setActualTransactionActive(false);
				TransactionSynchronizationManager.clearSynchronization();
			}
			assertThat(desk.outcomes).containsExactly("released");
			assertThat(desk.shop().sell("key", 3).quantity()).isEqualTo(3);
		});
	}

	@Test
	@Wide
	void scriptCanBeRunAgain() {
		run((desk) -> {
			desk.shop().sell("key", 3);
			new ResourceDatabasePopulator(new ClassPathResource(script())).execute(desk.jdbc.getDataSource());
			assertThat(desk.rows()).isOne();
		});
	}

	@Test
	void scriptIsARepeatableMigration() {
		run((desk) -> {
			desk.jdbc.execute("drop table ge_idempotency");
			String history = "history_" + System.nanoTime();
			Flyway flyway = Flyway.configure()
				.dataSource(desk.jdbc.getDataSource())
				.table(history)
				.locations("classpath:" + directory())
				.failOnMissingLocations(true)
				.baselineOnMigrate(true)
				.load();
			assertThat(flyway.migrate().migrationsExecuted).isOne();
			desk.shop().sell("key", 3);
			assertThat(flyway.migrate().migrationsExecuted).isZero();
			String quote = desk.jdbc
				.execute((Connection connection) -> connection.getMetaData().getIdentifierQuoteString());
			desk.jdbc.update("update " + quote + history + quote + " set " + quote + "checksum" + quote + " = 1 where "
					+ quote + "checksum" + quote + " is not null");
			assertThat(flyway.migrate().migrationsExecuted).isOne();
			assertThat(desk.rows()).isOne();
			desk.jdbc.execute("drop table " + quote + history + quote);
		});
	}

	// As Spring Boot resolves classpath:db/ge-redis/{vendor}
	private String directory() {
		return "db/ge-redis/" + driver().getId();
	}

	private String script() {
		return directory() + "/R__ge_idempotency.sql";
	}

	private void run(Consumer<Desk> test) {
		run(this.runner, test);
	}

	private void runTwo(BiConsumer<Desk, Desk> test) {
		run((desk) -> instance(this.runner, "").run((context) -> test.accept(desk, context.getBean(Desk.class))));
	}

	private ApplicationContextRunner instance(ApplicationContextRunner runner, String script) {
		return runner.withPropertyValues(database())
			.withBean(Desk.class, new Dialect(script, identity()))
			.withBean(Shop.class);
	}

	private void run(ApplicationContextRunner runner, Consumer<Desk> test) {
		instance(runner, script()).run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context.getBean(Desk.class));
			assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
		});
	}

	/**
	 * Leaves the records as those of owners that were not heard of again after their
	 * lease.
	 */
	private static void dieBeforeCompletion() {
		SharedRedis.standalone().primary().command("EVAL", """
				for _, key in ipairs(redis.call('KEYS', '*idempotency*')) do
				  redis.call('HDEL', key, 'k', 'r')
				  redis.call('HSET', key, 'd', 1, 'x', 1)
				end
				""", "0");
	}

	private static <T> T join(CompletableFuture<T> future) {
		return future.orTimeout(30, TimeUnit.SECONDS).join();
	}

	record Sale(int id, int quantity) {
	}

	/**
	 * What databases do differently. Without a script their tables are there.
	 */
	record Dialect(String script, String identity) {
	}

	/**
	 * The state of a test.
	 */
	static class Desk {

		final List<String> outcomes = new CopyOnWriteArrayList<>();

		final ThreadLocal<Runnable> pause = new ThreadLocal<>();

		final JdbcTemplate jdbc;

		final PlatformTransactionManager manager;

		final TransactionTemplate transactions;

		final ObjectProvider<Shop> shop;

		final AtomicInteger inserts = new AtomicInteger();

		volatile String failure = "";

		volatile long fence;

		volatile CountDownLatch resume = new CountDownLatch(0);

		Desk(Dialect dialect, JdbcTemplate jdbc, PlatformTransactionManager manager, ObjectProvider<Shop> shop) {
			this.jdbc = jdbc;
			this.manager = manager;
			this.transactions = new TransactionTemplate(manager);
			this.shop = shop;
			if (!dialect.script().isEmpty()) {
				create(dialect);
			}
		}

		private void create(Dialect dialect) {
			this.jdbc.execute("drop table if exists sale");
			this.jdbc.execute("drop table if exists seat");
			this.jdbc.execute("drop table if exists ge_idempotency");
			this.jdbc.execute("create table sale (id %s primary key, quantity int)".formatted(dialect.identity()));
			this.jdbc.execute("create table seat (id varchar(10) primary key)");
			new ResourceDatabasePopulator(new ClassPathResource(dialect.script())).execute(this.jdbc.getDataSource());
		}

		Shop shop() {
			return this.shop.getObject();
		}

		TransactionTemplate template(int propagation) {
			TransactionTemplate template = new TransactionTemplate(this.manager);
			template.setPropagationBehavior(propagation);
			return template;
		}

		/**
		 * Sells on another thread, as far as just before the commit.
		 */
		CompletableFuture<Sale> sellAndPause(String key) {
			CountDownLatch entered = new CountDownLatch(1);
			CountDownLatch released = new CountDownLatch(1);
			this.resume = released;
			CompletableFuture<Sale> sale = CompletableFuture.supplyAsync(() -> {
				this.pause.set(() -> {
					entered.countDown();
					await(released);
				});
				return shop().sell(key, 3);
			}, (task) -> new Thread(task).start());
			await(entered);
			return sale;
		}

		private static void await(CountDownLatch latch) {
			try {
				if (!latch.await(30, TimeUnit.SECONDS)) {
					throw new AssertionError("Nobody came");
				}
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
		}

		int insert(int quantity) {
			this.inserts.incrementAndGet();
			KeyHolder keys = new GeneratedKeyHolder();
			this.jdbc.update((connection) -> {
				PreparedStatement statement = connection.prepareStatement("insert into sale (quantity) values (?)",
						new String[] { "id" });
				statement.setInt(1, quantity);
				return statement;
			}, keys);
			return keys.getKey().intValue();
		}

		void fail(String where) {
			if (this.failure.equals(where)) {
				throw new IllegalStateException(where);
			}
		}

		int sales() {
			return this.jdbc.queryForObject("select count(*) from sale", Integer.class);
		}

		int rows() {
			return this.jdbc.queryForObject("select count(*) from ge_idempotency", Integer.class);
		}

		@EventListener
		public void on(IdempotencyEvent event) {
			this.outcomes.add(event.result());
		}

	}

	/**
	 * The guarded methods.
	 */
	static class Shop {

		private final Desk desk;

		private final Idempotency idempotency;

		Shop(Desk desk, Idempotency idempotency) {
			this.desk = desk;
			this.idempotency = idempotency;
		}

		@Idempotent(name = "sell", key = "#key", fingerprint = "#quantity")
		@Transactional
		public Sale sell(String key, int quantity) {
			this.desk.fence = IdempotencyContext.current().fence();
			Sale sale = new Sale(this.desk.insert(quantity), quantity);
			this.desk.fail("after");
			Runnable pause = this.desk.pause.get();
			if (pause != null) {
				pause.run();
			}
			return sale;
		}

		@Idempotent(key = "#key", fingerprint = "#seat")
		@Transactional
		public String reserve(String seat, String key) {
			this.desk.jdbc.update("insert into seat (id) values (?)", seat);
			return "reserved " + seat;
		}

		@Idempotent(key = "#key")
		@Transactional
		public int sellWithFailingCallback(String key) {
			this.desk.insert(1);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					throw new IllegalStateException("callback");
				}

			});
			return 7;
		}

		@Idempotent(name = "inside", key = "#key")
		public String sellInside(String key) {
			this.desk.transactions.executeWithoutResult((status) -> this.desk.insert(1));
			this.desk.fail("later");
			return "sold";
		}

		@Idempotent(key = "#key", recover = "recover")
		public String sellInsideRecovering(String key) {
			return sellInside(key);
		}

		String recover(String key) {
			return "recovered " + key;
		}

		@Idempotent(key = "#key")
		@Transactional
		public String sellWithAudit(String key) {
			this.desk.template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((status) -> this.desk.insert(0));
			this.desk.fail("outer");
			this.desk.insert(1);
			return "sold";
		}

		@Idempotent(key = "#key")
		@Transactional(propagation = Propagation.NESTED)
		public void sellNested(String key) {
			this.desk.insert(1);
			this.desk.fail("nested");
		}

		@Idempotent(key = "#key")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public String sellApart(String key) {
			this.desk.insert(1);
			return "apart";
		}

		@Idempotent(key = "#key")
		@Transactional(readOnly = true)
		public int count(String key) {
			return this.desk.sales();
		}

		/**
		 * The advice that retries stands between the guard and the transaction.
		 */
		@Idempotent(key = "#key")
		@Retried
		@Transactional
		public Sale sellWithRetry(String key) {
			int attempt = this.desk.inserts.get() + 1;
			Sale sale = new Sale(this.desk.insert(attempt), attempt);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					if (attempt == 1) {
						throw new IllegalStateException("not yet");
					}
				}

			});
			return sale;
		}

		public Sale sellInCode(String key) {
			return this.desk.transactions.execute((status) -> this.idempotency.execute("in-code", key, null, Sale.class,
					() -> new Sale(this.desk.insert(5), 5)));
		}

	}

	/**
	 * Tried twice.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Retried {

	}

	@Configuration(proxyBeanMethods = false)
	static class Retries {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor retries() {
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
					AnnotationMatchingPointcut.forMethodAnnotation(Retried.class), (MethodInterceptor) (invocation) -> {
						try {
							return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
						}
						catch (IllegalStateException ex) {
							return invocation.proceed();
						}
					});
			advisor.setOrder(Ordered.LOWEST_PRECEDENCE - 1);
			return advisor;
		}

	}

	/**
	 * Cannot be reached at first.
	 */
	@Configuration(proxyBeanMethods = false)
	static class GoesAway implements BeanPostProcessor {

		final AtomicBoolean away = new AtomicBoolean(true);

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (!(bean instanceof DataSource dataSource)) {
				return bean;
			}
			return new DelegatingDataSource(dataSource) {

				@Override
				public Connection getConnection() throws SQLException {
					if (GoesAway.this.away.get()) {
						throw new SQLTransientConnectionException("away");
					}
					return super.getConnection();
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LosesReplies {

		@Bean
		DataSourceTransactionManager transactionManager(DataSource dataSource) {
			AtomicBoolean lost = new AtomicBoolean();
			return new DataSourceTransactionManager(dataSource) {

				private static final long serialVersionUID = 1L;

				@Override
				protected void doCommit(DefaultTransactionStatus status) {
					super.doCommit(status);
					if (lost.compareAndSet(false, true)) {
						throw new TransactionSystemException("The reply was lost");
					}
				}

			};
		}

	}

	/**
	 * The first commit fails, and what it has left open is rolled back only when the
	 * connection is given back.
	 */
	@Configuration(proxyBeanMethods = false)
	static class LosesCommits {

		@Bean
		DataSourceTransactionManager transactionManager(DataSource dataSource) {
			AtomicBoolean lost = new AtomicBoolean();
			AtomicBoolean open = new AtomicBoolean();
			return new DataSourceTransactionManager(dataSource) {

				private static final long serialVersionUID = 1L;

				@Override
				protected void doCommit(DefaultTransactionStatus status) {
					if (lost.compareAndSet(false, true)) {
						open.set(true);
						throw new TransactionSystemException("The commit has failed");
					}
					super.doCommit(status);
				}

				@Override
				protected void doCleanupAfterCompletion(Object transaction) {
					if (open.getAndSet(false)) {
						rollBack(dataSource);
					}
					super.doCleanupAfterCompletion(transaction);
				}

			};
		}

		private static void rollBack(DataSource dataSource) {
			try {
				DataSourceUtils.getConnection(dataSource).rollback();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
