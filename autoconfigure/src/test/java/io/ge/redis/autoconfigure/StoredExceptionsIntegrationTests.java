// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.OneMethod;
import io.ge.redis.test.SharedRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Exceptions that are an outcome.
 */
@ExtendWith(OutputCaptureExtension.class)
class StoredExceptionsIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class,
				TransactionManagerCustomizationAutoConfiguration.class, GeRedisAutoConfiguration.class,
				IdempotencyAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("spring.datasource.generate-unique-name=true");

	@Test
	void exceptionIsAnOutcomeWhateverBecameOfTheTransaction() {
		SharedRedis.standalone().flushAll();
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 2; i++) {
				assertThatThrownBy(() -> desk.rolledBack("k")).isExactlyInstanceOf(NotEnoughLeft.class)
					.hasMessage("4 left");
				assertThatThrownBy(() -> desk.committed("k")).isExactlyInstanceOf(NotEnoughLeft.class);
				assertThatThrownBy(() -> desk.without("k", new NotEnoughLeft("a\nb \u00e4")))
					.isExactlyInstanceOf(NotEnoughLeft.class)
					.hasMessage("a\nb \u00e4");
				assertThatThrownBy(() -> desk.without("null", new NotEnoughLeft(null)))
					.isExactlyInstanceOf(NotEnoughLeft.class)
					.hasMessage(null);
				assertThatThrownBy(() -> desk.without("checked", new IOException("read")))
					.isExactlyInstanceOf(IOException.class);
				assertThatThrownBy(() -> desk.without("bare", new Closed())).isExactlyInstanceOf(Closed.class)
					.hasMessage("closed");
			}
			assertThat(desk.calls()).isEqualTo(6);
			assertThat(desk.rows()).isEqualTo(1);
		});
	}

	@Test
	void subclassComesBackAsTheNearestListedType() {
		SharedRedis.standalone().flushAll();
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThatThrownBy(() -> desk.without("k", new NothingLeft())).isExactlyInstanceOf(NothingLeft.class);
			assertThatThrownBy(() -> desk.without("k", new NothingLeft())).isExactlyInstanceOf(NotEnoughLeft.class)
				.hasMessage("nothing left");
		});
	}

	@Test
	void everyOtherExceptionIsAFailure() {
		SharedRedis.standalone().flushAll();
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (Exception other : List.of(new IllegalStateException("other"), new Garbled("other"))) {
				String key = other.getClass().getSimpleName();
				assertThatThrownBy(() -> desk.without(key, other)).isSameAs(other);
				assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.without(key, other));
			}
		});
	}

	@Test
	void refusalOfAGuardIsNoOutcomeEvenIfItsSupertypeIsListed() {
		SharedRedis.standalone().flushAll();
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 2; i++) {
				assertThatExceptionOfType(IdempotencyKeyException.class).isThrownBy(() -> desk.nested("k"));
			}
			assertThat(desk.calls()).isEqualTo(2);
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> desk.unlucky("k"));
			assertThatThrownBy(() -> desk.unlucky("k")).isExactlyInstanceOf(RuntimeException.class);
			assertThat(desk.calls()).isEqualTo(3);
		});
	}

	@Test
	void exceptionThatIsTooLargeIsLost() {
		SharedRedis.standalone().flushAll();
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.max-result-size=200B")
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				NotEnoughLeft large = new NotEnoughLeft("x".repeat(200));
				assertThatThrownBy(() -> desk.without("k", large)).isSameAs(large);
				assertThatExceptionOfType(ResponseLostException.class).isThrownBy(() -> desk.without("k", large));
				assertThat(desk.calls()).isEqualTo(1);
			});
	}

	@Test
	void transactionOfTheCallerFreesTheKeyWhenItRollsBack() {
		SharedRedis.standalone().flushAll();
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
			for (int i = 0; i < 2; i++) {
				assertThatThrownBy(() -> transaction.executeWithoutResult((status) -> desk.sold("k")))
					.isInstanceOf(NotEnoughLeft.class);
			}
			assertThat(desk.calls()).isEqualTo(2);
			transaction.executeWithoutResult(
					(status) -> assertThatThrownBy(() -> desk.sold("k")).isInstanceOf(NotEnoughLeft.class));
			assertThatThrownBy(() -> desk.sold("k")).isInstanceOf(NotEnoughLeft.class);
			assertThat(desk.calls()).isEqualTo(3);
		});
	}

	@Test
	void nameInRedisMakesNoOtherClass(CapturedOutput output) {
		SharedRedis.standalone().flushAll();
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThatThrownBy(() -> desk.sold("k")).isInstanceOf(NotEnoughLeft.class);
			RedisEndpoint redis = SharedRedis.standalone().primary();
			Object keys = redis.command("KEYS", "*idempotency*");
			assertThat(keys).asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST).hasSize(1);
			String key = String.valueOf(((List<?>) keys).get(0));
			for (String record : List.of("java.lang.RuntimeException\n1made", "", "\n1",
					NotEnoughLeft.class.getName())) {
				redis.command("HSET", key, "r", record);
				assertThatExceptionOfType(ResponseLostException.class).isThrownBy(() -> desk.sold("k"));
			}
		});
		assertThat(output).containsOnlyOnce("A kept result of @Idempotent");
	}

	@Test
	void typeThatCannotBeMadeAgainFailsTheStart() {
		assertRefused("abstractType", "AbstractRefusal", "Name a class with a constructor");
		assertRefused("withField", "Refusal", "Name a class with a constructor");
		assertRefused("ownOfAGuard", "by which a guard refuses", "Name only exceptions of the application");
	}

	private void assertRefused(String method, String problem, String remedy) {
		Class<?> bean = OneMethod.of(Mistakes.class, method);
		this.runner.withClassLoader(bean.getClassLoader())
			.withUserConfiguration(bean)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("@Idempotent on " + bean.getName() + "." + method)
				.hasStackTraceContaining(problem)
				.hasStackTraceContaining(remedy));
	}

	static class NotEnoughLeft extends RuntimeException {

		NotEnoughLeft(@Nullable String message) {
			super(message);
		}

	}

	static class NothingLeft extends NotEnoughLeft {

		NothingLeft() {
			super("nothing left");
		}

	}

	static class Closed extends Exception {

		Closed() {
			super("closed");
		}

	}

	static class Garbled extends RuntimeException {

		Garbled(String message) {
			super("garbled " + message);
		}

	}

	abstract static class AbstractRefusal extends RuntimeException {

		AbstractRefusal(String message) {
			super(message);
		}

	}

	static class Refusal extends RuntimeException {

		Refusal(int left) {
			super(left + " left");
		}

	}

	static class Desk {

		private final AtomicInteger calls = new AtomicInteger();

		private final JdbcTemplate jdbc;

		Desk(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("create table sale (id varchar(20))");
		}

		@Idempotent(key = "#key", storeExceptions = NotEnoughLeft.class)
		@Transactional
		public String rolledBack(String key) {
			effect(key);
			throw new NotEnoughLeft("4 left");
		}

		@Idempotent(key = "#key", storeExceptions = NotEnoughLeft.class)
		@Transactional(noRollbackFor = NotEnoughLeft.class)
		public String committed(String key) {
			effect(key);
			throw new NotEnoughLeft("4 left");
		}

		@Idempotent(key = "#key", fingerprint = "#key", storeExceptions = { RuntimeExceptions.class,
				NotEnoughLeft.class, IOException.class, Closed.class, Garbled.class })
		public String without(String key, Exception failure) throws Exception {
			this.calls.incrementAndGet();
			throw failure;
		}

		@Idempotent(key = "#key", storeExceptions = RuntimeException.class)
		@Transactional
		public String nested(String key) {
			effect(key);
			throw new IdempotencyKeyException("refused");
		}

		@Idempotent(key = "#key", storeExceptions = RuntimeException.class)
		@Transactional
		public String unlucky(String key) {
			effect(key);
			throw new IllegalStateException("failed");
		}

		@Idempotent(name = "sold", key = "#key", storeExceptions = NotEnoughLeft.class)
		public String sold(String key) {
			this.calls.incrementAndGet();
			throw new NotEnoughLeft("4 left");
		}

		private void effect(String key) {
			this.calls.incrementAndGet();
			this.jdbc.update("insert into sale (id) values (?)", key);
		}

		public int calls() {
			return this.calls.get();
		}

		public int rows() {
			Integer rows = this.jdbc.queryForObject("select count(*) from sale", Integer.class);
			return (rows != null) ? rows : -1;
		}

	}

	/** A type of which none is thrown. */
	static class RuntimeExceptions extends NotEnoughLeft {

		RuntimeExceptions(String message) {
			super(message);
		}

	}

	interface Mistakes {

		@Idempotent(key = "#key", storeExceptions = AbstractRefusal.class)
		String abstractType(String key);

		@Idempotent(key = "#key", storeExceptions = Refusal.class)
		String withField(String key);

		@Idempotent(key = "#key", storeExceptions = IdempotencyKeyException.class)
		String ownOfAGuard(String key);

	}

}
