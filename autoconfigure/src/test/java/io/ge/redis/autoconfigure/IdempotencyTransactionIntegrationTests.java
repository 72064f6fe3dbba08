// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.IdempotencyEvent;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.ResponseLostException;
import io.ge.redis.idempotency.UnknownOutcome;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
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
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
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
 * What frees a key and what closes it, on a real database.
 */
class IdempotencyTransactionIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, TransactionAutoConfiguration.class,
				TransactionManagerCustomizationAutoConfiguration.class, GeRedisAutoConfiguration.class,
				IdempotencyAutoConfiguration.class))
		.withUserConfiguration(Desk.class)
		.withPropertyValues(SharedRedis.properties());

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void parallelRepetitionsHaveOneEffect() {
		run((desk) -> {
			ExecutorService threads = Executors.newFixedThreadPool(50);
			CountDownLatch start = new CountDownLatch(1);
			List<Future<Object>> answers = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				answers.add(threads.submit(() -> {
					start.await();
					try {
						return desk.sell("key", 3, "");
					}
					catch (IdempotencyInFlightException ex) {
						return ex;
					}
				}));
			}
			start.countDown();
			List<Object> distinct = new ArrayList<>();
			for (Future<Object> answer : answers) {
				Object value = join(answer);
				if (!(value instanceof IdempotencyInFlightException) && !distinct.contains(value)) {
					distinct.add(value);
				}
			}
			threads.shutdown();
			assertThat(distinct).containsExactly(new Sale(1, 3));
			assertThat(desk.count()).isEqualTo(1);
		});
	}

	@Test
	void rolledBackCallFreesItsKey() {
		run((desk) -> {
			for (String fail : List.of("before", "after", "before", "after")) {
				assertThatIllegalStateException().isThrownBy(() -> desk.sell("key", 3, fail)).withMessage(fail);
			}
			assertThat(desk.count()).isZero();
			Sale sale = desk.sell("key", 3, "");
			assertThat(desk.sell("key", 3, "after")).isEqualTo(sale);
			assertThat(desk.count()).isEqualTo(1);
			assertThat(desk.outcomes()).containsExactly("released", "released", "released", "released", "executed",
					"replayed");
		});
	}

	@Test
	void failureAfterACommitIsUnknown() {
		run((desk) -> {
			assertThatIllegalStateException().isThrownBy(() -> desk.sellThenFail("key"));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.sellThenFail("key"));
			assertThat(desk.count()).isEqualTo(1);
			assertThat(desk.outcomes()).containsExactly("unknown", "unknown");
		});
	}

	@Test
	@Wide
	void unknownOutcomeMayBeRetriedIfConfigured() {
		run((desk) -> {
			assertThatIllegalStateException().isThrownBy(() -> desk.sellThenFailAgain("key"));
			assertThatIllegalStateException().isThrownBy(() -> desk.sellThenFailAgain("key"));
			assertThat(desk.count()).isEqualTo(2);
			assertThat(desk.outcomes()).containsExactly("unknown", "unknown");
		});
	}

	@Test
	@Wide
	void failureOfAnAfterCommitCallbackIsUnknown() {
		run((desk) -> {
			assertThatIllegalStateException().isThrownBy(() -> desk.sellWithFailingCallback("key"));
			assertThatExceptionOfType(OutcomeUnknownException.class)
				.isThrownBy(() -> desk.sellWithFailingCallback("key"));
			assertThat(desk.count()).isEqualTo(1);
		});
	}

	@Test
	@Wide
	void commitOfAnInnerTransactionCountsAlthoughTheOuterOneRollsBack() {
		run((desk) -> {
			assertThatIllegalStateException().isThrownBy(() -> desk.auditThenFail("key"));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.auditThenFail("key"));
			assertThat(desk.count()).isEqualTo(1);
		});
	}

	@Test
	void commitOfUnknownOutcomeIsUnknown() {
		this.runner.withUserConfiguration(LosesCommits.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(() -> desk.sell("key", 3, ""));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.sell("key", 3, ""));
			assertThat(desk.count()).isEqualTo(1);
		});
	}

	@Test
	@Wide
	void transactionThatCannotBeginFreesTheKey() {
		this.runner.withUserConfiguration(CannotBegin.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThatExceptionOfType(CannotCreateTransactionException.class).isThrownBy(() -> desk.sell("key", 3, ""));
			assertThat(desk.sell("key", 3, "")).isEqualTo(new Sale(1, 3));
		});
	}

	@Test
	@Wide
	void refusalByAdviceFurtherInFreesTheKey() {
		this.runner.withUserConfiguration(Refuses.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThatIllegalStateException().isThrownBy(() -> desk.notify("key", false)).withMessage("refused");
			assertThat(desk.notify("key", false)).isEqualTo("sent");
			assertThat(desk.outcomes()).containsExactly("released", "executed");
		});
	}

	@Test
	void failureWithoutTransactionIsUnknownUnlessConfigured() {
		run((desk) -> {
			assertThatIllegalStateException().isThrownBy(() -> desk.notify("key", true));
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.notify("key", true));
			assertThatIllegalStateException().isThrownBy(() -> desk.lookUp("key", true));
			assertThat(desk.lookUp("key", false)).isEqualTo("found");
		});
	}

	@Test
	@Wide
	void readOnlyTransactionCommitsNothing() {
		run((desk) -> {
			assertThatIllegalStateException().isThrownBy(() -> desk.readThenFail("key"));
			assertThatIllegalStateException().isThrownBy(() -> desk.readThenFail("key"));
		});
	}

	@Test
	void resultIsStoredOnceTheCallersTransactionHasCommitted() {
		run((desk) -> {
			Sale sale = desk.transactions().execute((status) -> {
				Sale first = desk.sell("key", 3, "");
				assertThatExceptionOfType(IdempotencyInFlightException.class).isThrownBy(() -> desk.sell("key", 3, ""));
				return first;
			});
			assertThat(desk.sell("key", 3, "")).isEqualTo(sale);
			assertThat(desk.count()).isEqualTo(1);
		});
	}

	@Test
	void keyIsFreedOnceTheCallersTransactionHasRolledBack() {
		run((desk) -> {
			desk.transactions().executeWithoutResult((status) -> {
				desk.sell("key", 3, "");
				status.setRollbackOnly();
			});
			assertThat(desk.count()).isZero();
			desk.sell("key", 3, "");
			assertThat(desk.count()).isEqualTo(1);
			assertThat(desk.outcomes()).containsExactly("released", "executed");
		});
	}

	@Test
	@Wide
	void keyIsFreedIfTheCallersTransactionRollsBackToASavepoint() {
		run((desk) -> {
			TransactionTemplate nested = new TransactionTemplate(desk.manager());
			nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
			desk.transactions().executeWithoutResult((outer) -> nested.executeWithoutResult((status) -> {
				desk.sell("key", 3, "");
				status.setRollbackOnly();
			}));
			assertThat(desk.count()).isZero();
			assertThat(desk.outcomes()).containsExactly("released");
			desk.transactions().executeWithoutResult((outer) -> {
				desk.sell("key", 3, "");
				nested.executeWithoutResult((status) -> status.setRollbackOnly());
			});
			assertThat(desk.count()).isEqualTo(1);
			assertThat(desk.outcomes()).containsExactly("released", "executed");
		});
	}

	@Test
	void failureThatTheCallerSwallowsAndCommitsIsUnknown() {
		run((desk) -> {
			desk.transactions()
				.executeWithoutResult(
						(status) -> assertThatIllegalStateException().isThrownBy(() -> desk.insertThenFail("key")));
			assertThat(desk.count()).isEqualTo(1);
			assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> desk.insertThenFail("key"));
		});
	}

	@Test
	void resultOfAMethodThatRunsApartFromTheCallersTransactionIsKeptWhateverBecomesOfThat() {
		run((desk) -> {
			for (Consumer<String> sale : List.<Consumer<String>>of(desk::sellOutside, desk::sellApart)) {
				desk.transactions().executeWithoutResult((status) -> {
					sale.accept("key");
					status.setRollbackOnly();
				});
				sale.accept("key");
			}
			assertThat(desk.count()).isEqualTo(2);
			assertThat(desk.outcomes()).containsExactly("executed", "replayed", "executed", "replayed");
		});
	}

	@Test
	void methodThatRollsBackApartFromTheCallersTransactionFreesItsKey() {
		run((desk) -> {
			desk.transactions()
				.executeWithoutResult(
						(status) -> assertThatIllegalStateException().isThrownBy(() -> desk.failApart("key")));
			assertThat(desk.count()).isZero();
			assertThat(desk.outcomes()).containsExactly("released");
		});
	}

	@Test
	void methodThatRollsBackToASavepointOfItsOwnFreesItsKey() {
		run((desk) -> {
			desk.transactions()
				.executeWithoutResult(
						(status) -> assertThatIllegalStateException().isThrownBy(() -> desk.sellNested("key", 1)));
			assertThat(desk.count()).isZero();
			assertThat(desk.outcomes()).containsExactly("released");
		});
	}

	@Test
	void savepointThatAdviceSetsAfterTheMethodUndoesNothing() {
		this.runner.withUserConfiguration(Audits.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.transactions()
				.executeWithoutResult(
						(status) -> assertThatIllegalStateException().isThrownBy(() -> desk.insertThenFail("key")));
			assertThat(desk.count()).isEqualTo(1);
			assertThat(desk.outcomes()).containsExactly("unknown");
		});
	}

	@Test
	void attemptThatSucceedsAfterOneThatWasRolledBackIsKept() {
		this.runner.withUserConfiguration(Repeats.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			desk.transactions().executeWithoutResult((status) -> desk.sellNestedTwice("key"));
			assertThat(desk.count()).isEqualTo(1);
			assertThat(desk.outcomes()).containsExactly("executed");
		});
	}

	@Test
	void resultThatFailsWhileItIsWrittenIsLostAndNeverInFlight() {
		run((desk) -> {
			desk.sellWithBrokenResult("key");
			assertThatExceptionOfType(ResponseLostException.class).isThrownBy(() -> desk.sellWithBrokenResult("key"));
			assertThat(desk.count()).isEqualTo(1);
		});
	}

	@Test
	@Wide
	void transactionManagerOfTheApplicationIsWatchedToo() {
		this.runner.withUserConfiguration(OwnManager.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThatIllegalStateException().isThrownBy(() -> desk.sell("key", 3, "after"));
			assertThat(desk.sell("key", 3, "")).isEqualTo(new Sale(2, 3));
		});
	}

	private void run(Consumer<Desk> test) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context.getBean(Desk.class));
			assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
		});
	}

	private static Object join(Future<Object> answer) {
		try {
			return answer.get(30, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	record Sale(int id, int quantity) {
	}

	static class Broken {

		public String getText() {
			throw new NoClassDefFoundError("some/Formatter");
		}

	}

	static class Desk {

		private final AtomicInteger attempts = new AtomicInteger();

		final List<String> outcomes = new java.util.concurrent.CopyOnWriteArrayList<>();

		final JdbcTemplate jdbc;

		final PlatformTransactionManager manager;

		final TransactionTemplate transactions;

		Desk(JdbcTemplate jdbc, PlatformTransactionManager manager) {
			this.jdbc = jdbc;
			this.manager = manager;
			this.transactions = new TransactionTemplate(manager);
			jdbc.execute("drop table if exists sale");
			jdbc.execute("create table sale (id int generated always as identity primary key, quantity int)");
		}

		@Idempotent(name = "sell", key = "#key", fingerprint = "#quantity")
		@Transactional
		public Sale sell(String key, int quantity, String fail) {
			if (fail.equals("before")) {
				throw new IllegalStateException(fail);
			}
			insert(quantity);
			if (fail.equals("after")) {
				throw new IllegalStateException(fail);
			}
			return new Sale(this.jdbc.queryForObject("select max(id) from sale", Integer.class), quantity);
		}

		@Idempotent(key = "#key")
		public void sellThenFail(String key) {
			this.transactions.executeWithoutResult((status) -> insert(1));
			throw new IllegalStateException("later");
		}

		@Idempotent(key = "#key", onUnknownOutcome = UnknownOutcome.RETRY)
		public void sellThenFailAgain(String key) {
			sellThenFail(key);
		}

		@Idempotent(key = "#key")
		@Transactional
		public void sellWithFailingCallback(String key) {
			insert(1);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					throw new IllegalStateException("callback");
				}

			});
		}

		@Idempotent(key = "#key")
		@Transactional
		public void auditThenFail(String key) {
			TransactionTemplate inner = new TransactionTemplate(this.manager);
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			inner.executeWithoutResult((status) -> insert(1));
			throw new IllegalStateException("outer");
		}

		@Idempotent(key = "#key")
		public void insertThenFail(String key) {
			insert(1);
			throw new IllegalStateException("after");
		}

		@Idempotent(key = "#key")
		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		public void sellOutside(String key) {
			insert(1);
		}

		@Idempotent(key = "#key")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void sellApart(String key) {
			insert(1);
		}

		@Idempotent(key = "#key")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void failApart(String key) {
			insert(1);
			throw new IllegalStateException("rolled back");
		}

		@Idempotent(key = "#key")
		@Transactional(propagation = Propagation.NESTED)
		public void sellNested(String key, int failures) {
			insert(1);
			if (this.attempts.incrementAndGet() <= failures) {
				throw new IllegalStateException("rolled back");
			}
		}

		@Idempotent(key = "#key")
		@Transactional(propagation = Propagation.NESTED)
		public void sellNestedTwice(String key) {
			sellNested(key, 1);
		}

		@Idempotent(key = "#key")
		@Transactional
		public Broken sellWithBrokenResult(String key) {
			insert(1);
			return new Broken();
		}

		@Idempotent(key = "#key")
		public String notify(String key, boolean fail) {
			if (fail) {
				throw new IllegalStateException("failed");
			}
			return "sent";
		}

		@Idempotent(key = "#key", fingerprint = "#key", onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public String lookUp(String key, boolean fail) {
			if (fail) {
				throw new IllegalStateException("failed");
			}
			return "found";
		}

		@Idempotent(key = "#key", onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public void readThenFail(String key) {
			TransactionTemplate reading = new TransactionTemplate(this.manager);
			reading.setReadOnly(true);
			reading.executeWithoutResult((status) -> count());
			throw new IllegalStateException("after");
		}

		List<String> outcomes() {
			return this.outcomes;
		}

		TransactionTemplate transactions() {
			return this.transactions;
		}

		PlatformTransactionManager manager() {
			return this.manager;
		}

		void insert(int quantity) {
			this.jdbc.update("insert into sale (quantity) values (?)", quantity);
		}

		int count() {
			return this.jdbc.queryForObject("select count(*) from sale", Integer.class);
		}

		@EventListener
		public void on(IdempotencyEvent event) {
			this.outcomes.add(event.result());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnManager {

		@Bean
		DataSourceTransactionManager transactionManager(javax.sql.DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LosesCommits {

		@Bean
		DataSourceTransactionManager transactionManager(javax.sql.DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource) {

				private static final long serialVersionUID = 1L;

				@Override
				protected void doCommit(DefaultTransactionStatus status) {
					super.doCommit(status);
					throw new TransactionSystemException("The reply was lost");
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CannotBegin {

		@Bean
		DataSourceTransactionManager transactionManager(javax.sql.DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource) {

				private static final long serialVersionUID = 1L;

				private boolean begun;

				@Override
				protected void doBegin(Object transaction, TransactionDefinition definition) {
					if (!this.begun) {
						this.begun = true;
						throw new CannotCreateTransactionException("No connection");
					}
					super.doBegin(transaction, definition);
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Refuses {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor refusal() {
			boolean[] refused = { false };
			MethodInterceptor interceptor = (invocation) -> {
				if (!refused[0]) {
					refused[0] = true;
					throw new IllegalStateException("refused");
				}
				return invocation.proceed();
			};
			return advisor("notify", interceptor);
		}

	}

	/**
	 * Makes a second attempt, in a transaction of its own.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Repeats {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor repetition() {
			return advisor("sellNestedTwice", (invocation) -> {
				try {
					return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
				}
				catch (IllegalStateException ex) {
					return invocation.proceed();
				}
			});
		}

	}

	/**
	 * Audits failures in a savepoint of its own, which fails.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Audits {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor audit(ObjectProvider<PlatformTransactionManager> manager) {
			return advisor("insertThenFail", (invocation) -> {
				try {
					return invocation.proceed();
				}
				catch (IllegalStateException ex) {
					TransactionTemplate nested = new TransactionTemplate(manager.getObject());
					nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
					nested.executeWithoutResult((status) -> status.setRollbackOnly());
					throw ex;
				}
			});
		}

	}

	private static Advisor advisor(String method, MethodInterceptor interceptor) {
		NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
		pointcut.addMethodName(method);
		pointcut.setClassFilter((type) -> type == Desk.class);
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, interceptor);
		advisor.setOrder(AdviceOrder.DEFAULT_BASE + 350);
		return advisor;
	}

}
