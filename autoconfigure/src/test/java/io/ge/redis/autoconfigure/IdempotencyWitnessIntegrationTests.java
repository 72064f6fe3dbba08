// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeEach;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * When there is a witness, and what the application sees of claims.
 */
class IdempotencyWitnessIntegrationTests {

	private static final String REQUIRED = "ge.redis.idempotency.witness=required";

	private static final String TABLE = "spring.sql.init.schema-locations=classpath:db/ge-redis/h2/R__ge_idempotency.sql";

	private final ApplicationContextRunner plain = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class,
				GeRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties());

	private final ApplicationContextRunner runner = this.plain.withConfiguration(AutoConfigurations.of(
			DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			JdbcTemplateAutoConfiguration.class, DataSourceInitializationAutoConfiguration.class));

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void requiredWitnessThatIsMissingFailsTheStart() {
		assertRefused(this.plain.withPropertyValues(REQUIRED), "no transaction manager with a DataSource",
				"ge.redis.idempotency.transaction-manager");
		assertRefused(this.runner.withPropertyValues(REQUIRED), "ge_idempotency cannot be read", "db/ge-redis/");
		assertRefused(this.runner.withPropertyValues(REQUIRED, "ge.redis.idempotency.transaction-manager=other"),
				"there is no transaction manager 'other'", "Correct the name");
		assertRefused(
				this.plain.withUserConfiguration(WithoutDatabase.class)
					.withPropertyValues("ge.redis.idempotency.transaction-manager=messages"),
				"'messages' has no DataSource", "Name one that has");
		assertRefused(this.runner.withUserConfiguration(TwoManagers.class).withPropertyValues(REQUIRED, TABLE),
				"more than one", "name the transaction manager");
		this.runner.withPropertyValues(REQUIRED, TABLE).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void witnessesWhereThereIsATableUnlessSwitchedOff() {
		assertThat(rows(this.runner.withPropertyValues(TABLE))).isOne();
		assertThat(rows(this.runner.withPropertyValues(TABLE, "ge.redis.idempotency.witness=off"))).isZero();
		this.runner.run((context) -> assertThat(
				sell(context.getBean(Idempotency.class), context.getBean(PlatformTransactionManager.class)))
			.isEqualTo("sold"));
	}

	@Test
	@Wide
	void witnessesInTheTransactionsOfTheManagerThatIsNamed() {
		this.runner.withUserConfiguration(TwoManagers.class)
			.withPropertyValues(TABLE, "ge.redis.idempotency.transaction-manager=first")
			.run((context) -> {
				Idempotency idempotency = context.getBean(Idempotency.class);
				sell(idempotency, context.getBean("second", PlatformTransactionManager.class));
				JdbcTemplate jdbc = new JdbcTemplate(context.getBean("dataSource", DataSource.class));
				assertThat(count(jdbc)).isZero();
				SharedRedis.standalone().flushAll();
				sell(idempotency, context.getBean("first", PlatformTransactionManager.class));
				assertThat(count(jdbc)).isOne();
			});
	}

	@Test
	void worksWithoutJdbc() {
		this.plain.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
			.run((context) -> assertThat(
					context.getBean(Idempotency.class).execute("sell", "key", null, String.class, () -> "sold"))
				.isEqualTo("sold"));
	}

	@Test
	@Wide
	void recoveryThatDoesNotFitFailsTheStart() {
		this.plain.withBean(Unfit.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("there is no recover method 'again' that fits")
				.hasStackTraceContaining("String again with the same parameters"));
	}

	@Test
	void recoveryGivesResultsThatAreTooLargeToBeKept() {
		this.plain.withBean(Large.class)
			.withPropertyValues("ge.redis.idempotency.max-result-size=10B")
			.run((context) -> {
				Large large = context.getBean(Large.class);
				assertThat(large.report("key")).isEqualTo("a report of many pages on key");
				assertThat(large.report("key")).isEqualTo("again key ResponseLostException");
				assertThat(large.unrecoverable("key")).isEqualTo("a report of many pages on key");
				assertThatExceptionOfType(ResponseLostException.class).isThrownBy(() -> large.unrecoverable("key"));
			});
	}

	@Test
	void contextHasTheNameAndARisingFenceAndIsTheInnermostOne() {
		this.plain.run((context) -> {
			Idempotency idempotency = context.getBean(Idempotency.class);
			assertThatIllegalStateException().isThrownBy(IdempotencyContext::current);
			AtomicReference<IdempotencyContext> outer = new AtomicReference<>();
			AtomicReference<IdempotencyContext> inner = new AtomicReference<>();
			idempotency.run("outer", "key", null, () -> {
				outer.set(IdempotencyContext.current());
				idempotency.run("inner", "key", null, () -> inner.set(IdempotencyContext.current()));
				assertThat(IdempotencyContext.current()).isSameAs(outer.get());
			});
			assertThat(outer.get().name()).isEqualTo("outer");
			assertThat(inner.get().name()).isEqualTo("inner");
			assertThatIllegalStateException().isThrownBy(() -> idempotency.run("outer", "failing", null, () -> {
				throw new IllegalStateException("failed");
			}));
			assertThatIllegalStateException().isThrownBy(IdempotencyContext::current);
			SharedRedis.standalone().flushAll();
			idempotency.run("outer", "key", null,
					() -> assertThat(IdempotencyContext.current().fence()).isGreaterThan(outer.get().fence()));
		});
	}

	@Test
	void callThatRunsUnprotectedHasNoContextAlsoWithinOneThatHas() {
		this.plain.withBean(Keyless.class).run((context) -> {
			Keyless keyless = context.getBean(Keyless.class);
			context.getBean(Idempotency.class).run("outer", "key", null, () -> {
				IdempotencyContext outer = IdempotencyContext.current();
				assertThatIllegalStateException().isThrownBy(() -> keyless.fence(null));
				assertThat(keyless.fence("key")).isPositive();
				assertThat(IdempotencyContext.current()).isSameAs(outer);
			});
		});
	}

	private static void assertRefused(ApplicationContextRunner runner, String problem, String remedy) {
		runner.run((context) -> assertThat(context).getFailure()
			.hasStackTraceContaining(problem)
			.hasStackTraceContaining(remedy));
	}

	private static int rows(ApplicationContextRunner runner) {
		SharedRedis.standalone().flushAll();
		AtomicReference<Integer> rows = new AtomicReference<>();
		runner.run((context) -> {
			sell(context.getBean(Idempotency.class), context.getBean(PlatformTransactionManager.class));
			rows.set(count(context.getBean(JdbcTemplate.class)));
		});
		return rows.get();
	}

	private static String sell(Idempotency idempotency, PlatformTransactionManager manager) {
		return idempotency.execute("sell", "key", null, String.class,
				() -> new TransactionTemplate(manager).execute((status) -> "sold"));
	}

	private static int count(JdbcTemplate jdbc) {
		return jdbc.queryForObject("select count(*) from ge_idempotency", Integer.class);
	}

	static class Unfit {

		@Idempotent(key = "#key", recover = "again")
		public String sell(String key) {
			return key;
		}

		int again(String key) {
			return 1;
		}

	}

	static class Keyless {

		@Idempotent(key = "#key", required = false)
		public long fence(@Nullable String key) {
			return IdempotencyContext.current().fence();
		}

	}

	static class Large {

		@Idempotent(key = "#key", recover = "again")
		public String report(String key) {
			return "a report of many pages on " + key;
		}

		String again(String key, ResponseLostException lost) {
			return "again " + key + " " + lost.getClass().getSimpleName();
		}

		@Idempotent(key = "#key")
		public String unrecoverable(String key) {
			return "a report of many pages on " + key;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithoutDatabase {

		@Bean
		PlatformTransactionManager messages() {
			return new AbstractPlatformTransactionManager() {

				private static final long serialVersionUID = 1L;

				@Override
				protected Object doGetTransaction() {
					return this;
				}

				@Override
				protected void doBegin(Object transaction,
						org.springframework.transaction.TransactionDefinition definition) {
				}

				@Override
				protected void doCommit(DefaultTransactionStatus status) {
				}

				@Override
				protected void doRollback(DefaultTransactionStatus status) {
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoManagers {

		@Bean
		DataSourceTransactionManager first(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

		@Bean
		DataSourceTransactionManager second() {
			return new DataSourceTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:second"));
		}

	}

}
