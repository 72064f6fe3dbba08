// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.IdempotencyAutoConfiguration;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardResource;
import io.ge.redis.core.event.GuardFigures;
import io.ge.redis.idempotency.FailureWithoutTransaction;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyInFlightException;
import io.ge.redis.idempotency.IdempotencyRecord;
import io.ge.redis.idempotency.IdempotencyRecord.State;
import io.ge.redis.idempotency.IdempotencySettings;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OutcomeUnknownException;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import io.ge.redis.idempotency.spi.ResultCodec;
import io.ge.redis.test.ReactiveDatabase;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Reactive transactions decide what a call leaves behind.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class IdempotencyReactiveTransactionIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private ConfigurableApplicationContext context;

	private Bank bank;

	private ReactiveDatabase database;

	private TransactionalOperator transactions;

	@BeforeAll
	void start() {
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties(SharedRedis.properties())
			.properties("spring.main.banner-mode=off")
			.run();
		this.bank = this.context.getBean(Bank.class);
		this.database = this.context.getBean(ReactiveDatabase.class);
		this.transactions = TransactionalOperator
			.create(this.context.getBean("manager", ReactiveTransactionManager.class));
	}

	@AfterAll
	void stop() {
		this.context.close();
	}

	@BeforeEach
	void clear() {
		SharedRedis.standalone().flushAll();
		this.database.run("DELETE FROM account").block(LONG);
		this.bank.clear();
	}

	@Test
	void transactionOfTheMethodDecides() {
		this.bank.failing().put("a", true);
		for (int i = 0; i < 2; i++) {
			assertFails(this.bank.put("a", 1));
			assertThat(state("a")).isEqualTo(State.FREE);
			assertThat(balance("a")).isNull();
		}
		this.bank.failing().clear();
		assertThat(this.bank.put("a", 1).block(LONG)).isEqualTo(1);
		assertThat(balance("a")).isEqualTo(1);
		assertThat(state("a")).isEqualTo(State.COMPLETED);
		this.database.run("DELETE FROM account").block(LONG);
		assertThat(this.bank.put("a", 1).block(LONG)).isEqualTo(1);
		assertThat(balance("a")).isNull();
		assertIdle();
	}

	@Test
	void transactionOfTheMethodDecidesAlsoWhereItBeginsLater() {
		this.bank.failing().put("a", true);
		assertFails(this.bank.putLater("a", 1));
		assertThat(state("a")).isEqualTo(State.FREE);
		assertFails(this.bank.putAll("a", 3));
		assertThat(state("a")).isEqualTo(State.FREE);
		this.bank.failing().clear();
		assertThat(this.bank.putAll("a", 3).collectList().block(LONG)).containsExactly(0, 1, 2);
		assertThat(state("a")).isEqualTo(State.COMPLETED);
		assertIdle();
	}

	@Test
	void transactionOfTheSubscriberDecides() {
		Sinks.One<Boolean> commit = Sinks.one();
		CompletableFuture<Integer> call = this.bank.plain("a", 1)
			.delayUntil((value) -> commit.asMono())
			.as(this.transactions::transactional)
			.toFuture();
		Awaitility.await().until(() -> this.bank.runs("a") == 1);
		// The result is there, and may yet be undone
		assertThatExceptionOfType(IdempotencyInFlightException.class)
			.isThrownBy(() -> this.bank.plain("a", 1).block(LONG));
		commit.tryEmitValue(true);
		assertThat(call).succeedsWithin(LONG);
		assertThat(state("a")).isEqualTo(State.COMPLETED);
		assertThat(balance("a")).isEqualTo(1);
		// Rolled back after the call has succeeded
		assertFails(this.bank.plain("b", 1)
			.then(Mono.<Integer>error(new IllegalStateException("later")))
			.as(this.transactions::transactional));
		assertThat(state("b")).isEqualTo(State.FREE);
		assertThat(balance("b")).isNull();
		assertThat(this.bank.plain("b", 1).as(this.transactions::transactional).block(LONG)).isEqualTo(1);
		assertThat(state("b")).isEqualTo(State.COMPLETED);
		// A failure of the call that the caller survives
		this.bank.failing().put("c", true);
		this.bank.plain("c", 1).onErrorComplete().as(this.transactions::transactional).block(LONG);
		assertThat(state("c")).isEqualTo(State.UNKNOWN);
		assertIdle();
	}

	@Test
	void whatRanOutsideOfTheSubscribersTransactionIsNotUndoneWithIt() {
		assertFails(this.bank.putApart("a", 1)
			.then(Mono.<Integer>error(new IllegalStateException("later")))
			.as(this.transactions::transactional));
		assertThat(balance("a")).isEqualTo(1);
		assertThat(state("a")).isEqualTo(State.COMPLETED);
		assertFails(this.bank.putOutside("b", 1)
			.then(Mono.<Integer>error(new IllegalStateException("later")))
			.as(this.transactions::transactional));
		assertThat(balance("b")).isEqualTo(1);
		assertThat(state("b")).isEqualTo(State.COMPLETED);
		// Set aside for another one after a while
		this.bank.failing().put("c", true);
		assertFails(this.bank.putAndAudit("c", 1));
		assertThat(balance("c")).isNull();
		assertThat(balance("audit c")).isEqualTo(1);
		assertThat(state("c")).isEqualTo(State.UNKNOWN);
		assertIdle();
	}

	@Test
	void transactionInTheMethodDecides() {
		this.bank.failing().put("a", true);
		assertFails(this.bank.putInside("a", 1));
		assertThat(state("a")).isEqualTo(State.FREE);
		this.bank.failing().clear();
		assertThat(this.bank.putInside("a", 1).block(LONG)).isEqualTo(1);
		assertThat(state("a")).isEqualTo(State.COMPLETED);
		assertFails(this.bank.putAndFail("b", 1));
		assertThat(state("b")).isEqualTo(State.UNKNOWN);
		// Rolled back, and tried again unseen
		assertFails(this.bank.putAtSecondAttemptAndFail("c", 1));
		assertThat(balance("c")).isEqualTo(1);
		assertThat(state("c")).isEqualTo(State.UNKNOWN);
		// In a future
		this.bank.failing().put("d", true);
		assertThat(this.bank.putInFuture("d", 1)).failsWithin(LONG);
		assertThat(state("d")).isEqualTo(State.FREE);
		assertIdle();
	}

	@Test
	void commitThatFailsLeavesAnUnknownOutcome() {
		Commits commits = this.context.getBean(Commits.class);
		commits.failure = new TransactionSystemException("lost");
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.bank.elsewhere("a").block(LONG));
		assertThat(state("a")).isEqualTo(State.UNKNOWN);
		TransactionalOperator operator = TransactionalOperator.create(commits);
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.bank.plain("b", 1).as(operator::transactional).block(LONG));
		assertThat(state("b")).isEqualTo(State.UNKNOWN);
		commits.failure = null;
		assertThat(this.bank.elsewhere("c").block(LONG)).isEqualTo("done");
		assertThat(state("c")).isEqualTo(State.COMPLETED);
		assertIdle();
	}

	@Test
	void whoGoesFreesTheKeyIfTheTransactionIsRolledBack() {
		Disposable own = this.bank.putAndWait("a", 1).subscribe();
		Awaitility.await().until(() -> this.bank.runs("a") == 1);
		own.dispose();
		awaitState("a", State.FREE);
		Disposable callers = this.bank.plain("b", 1)
			.then(Mono.never())
			.as(this.transactions::transactional)
			.subscribe();
		Awaitility.await().until(() -> this.bank.runs("b") == 1);
		callers.dispose();
		awaitState("b", State.FREE);
		Disposable inside = this.bank.putInsideAndWait("c", 1).subscribe();
		Awaitility.await().until(() -> this.bank.runs("c") == 1);
		inside.dispose();
		awaitState("c", State.FREE);
		assertThat(balance("a")).isNull();
		assertThat(balance("b")).isNull();
		assertThat(balance("c")).isNull();
		assertIdle();
	}

	@Test
	void innerCallsCountForTheOuterOne() {
		assertFails(this.bank.outer("a", this.bank.put("b", 1)));
		assertThat(state("b")).isEqualTo(State.COMPLETED);
		assertThatExceptionOfType(OutcomeUnknownException.class)
			.isThrownBy(() -> this.bank.outer("a", this.bank.put("b", 1)).block(LONG));
		assertIdle();
	}

	@Test
	void retryableAnswerFreesTheKeyUnlessACommitMayHaveBeenMissed() {
		Answer nothing = new Answer("a", new CompletableFuture<>());
		nothing.result().complete("nothing");
		call(nothing).join();
		nothing.open().answered(new Recording.Retryable(), false).toCompletableFuture().join();
		assertThat(state("a")).isEqualTo(State.FREE);
		Answer unseen = new Answer("b", new CompletableFuture<>());
		CompletableFuture<?> call = call(unseen);
		this.database.put("b", 1).as(this.transactions::transactional).block(LONG);
		unseen.result().complete("committed");
		call.join();
		unseen.open().answered(new Recording.Retryable(), false).toCompletableFuture().join();
		assertThat(state("b")).isEqualTo(State.UNKNOWN);
		assertIdle();
	}

	@Test
	void callWhoseExchangeHasEndedBeforeItEndsItsClaim() {
		Answer abandoned = new Answer("a", new CompletableFuture<>());
		CompletableFuture<?> first = call(abandoned);
		abandoned.open().unanswered();
		abandoned.result().completeExceptionally(new IllegalStateException("failing"));
		assertThat(first).failsWithin(LONG);
		assertThat(state("a")).isEqualTo(State.UNKNOWN);
		Answer answered = new Answer("b", new CompletableFuture<>());
		CompletableFuture<?> second = call(answered);
		answered.open().answered(new Recording.Retryable(), false);
		answered.result().complete("done");
		assertThat(second).succeedsWithin(LONG);
		assertThat(state("b")).isEqualTo(State.LOST);
		assertIdle();
	}

	private CompletableFuture<?> call(Answer answer) {
		DefaultIdempotency idempotency = (DefaultIdempotency) this.context.getBean(Idempotency.class);
		IdempotencyRequest request = idempotency.request(IdempotencySettings.of("bank"), List.of(answer.key()),
				Fingerprints.of(null));
		Object promise = this.context.getBean(GuardedCalls.class)
			.make(ResultForm.FUTURE, () -> idempotency.call(ResultForm.FUTURE, new Work(request, answer)));
		Awaitility.await().until(() -> !answer.begun().isEmpty());
		return ((CompletionStage<?>) promise).toCompletableFuture();
	}

	@Test
	@Wide
	void nothingIsLeftHeldAfterCancellationsInTransactions() {
		Flux.range(0, 300).flatMap((i) -> {
			String key = "random " + i;
			Mono<Integer> call = switch (i % 3) {
				case 0 -> this.bank.putSlowly(key, 1);
				case 1 -> this.bank.plain(key, 1).as(this.transactions::transactional);
				default -> this.bank.putInside(key, 1);
			};
			return call.timeout(Duration.ofNanos(i * 30_000)).onErrorComplete();
		}, 20).blockLast(Duration.ofMinutes(2));
		assertIdle();
		for (int i = 0; i < 300; i++) {
			String key = "random " + i;
			State state = state(key);
			if (balance(key) != null) {
				assertThat(state).as(key).isIn(State.COMPLETED, State.UNKNOWN);
			}
			else {
				assertThat(state).as(key).isNotEqualTo(State.COMPLETED);
			}
		}
	}

	private static void assertFails(Publisher<?> call) {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> Flux.from(call).blockLast(LONG));
	}

	private void assertIdle() {
		Awaitility.await().atMost(LONG).until(this.context.getBean(IdempotencyPattern.class)::isIdle);
	}

	private void awaitState(String key, State expected) {
		Awaitility.await().untilAsserted(() -> assertThat(state(key)).isEqualTo(expected));
	}

	private State state(String key) {
		GuardResource control = this.context.getBean(IdempotencyPattern.class).control(new GuardFigures());
		return ((IdempotencyRecord) control.read(new GuardRequest(List.of("bank"), Map.of("key", key)))).state();
	}

	private @Nullable Long balance(String id) {
		return this.database.find(id).block(LONG);
	}

	/**
	 * What a call answers.
	 */
	record Answer(String key, CompletableFuture<Object> result,
			BlockingQueue<Completion> begun) implements IdempotentExchange {

		Answer(String key, CompletableFuture<Object> result) {
			this(key, result, new LinkedBlockingQueue<>());
		}

		Completion open() {
			return this.begun.element();
		}

		@Override
		public void capture(Completion completion) {
			this.begun.add(completion);
		}

		@Override
		public Object replay(byte[] response) {
			throw new IllegalStateException();
		}

	}

	/**
	 * Keeps no value.
	 */
	record Nothing() implements ResultCodec {

		@Override
		public Recording record(@Nullable Object result) {
			return new Recording.Lost();
		}

		@Override
		public Object replay(byte[] bytes) {
			throw new IllegalStateException();
		}

	}

	/**
	 * Work that ends when it is told to.
	 */
	record Work(IdempotencyRequest ask, Answer exchange) implements IdempotentCall.Action {

		@Override
		public IdempotencySettings settings() {
			return this.ask.settings();
		}

		@Override
		public ResultCodec codec() {
			return new Nothing();
		}

		@Override
		public Object run(Progress progress) {
			progress.reach();
			return this.exchange.result();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, IdempotencyAutoConfiguration.class })
	static class Application {

		@Bean
		ReactiveDatabase database() {
			return ReactiveDatabase.create();
		}

		@Bean
		ReactiveTransactionManager manager(ReactiveDatabase database) {
			return database.transactionManager();
		}

		@Bean
		Commits commits() {
			return new Commits();
		}

		@Bean
		Bank bank(ReactiveDatabase database, @Qualifier("manager") ReactiveTransactionManager manager) {
			return new Bank(database, TransactionalOperator.create(manager), TransactionalOperator.create(manager,
					new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW)));
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Hop hop() {
			return new Hop();
		}

	}

	/**
	 * Lets what is further in begin on another thread, as a lock does that has to be
	 * waited for.
	 */
	static class Hop extends DefaultPointcutAdvisor {

		private static final long serialVersionUID = 1L;

		Hop() {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.addMethodName("putLater");
			pointcut.setClassFilter(Bank.class::isAssignableFrom);
			setPointcut(pointcut);
			setOrder(0);
			setAdvice((MethodInterceptor) (invocation) -> {
				Object promise = invocation.proceed();
				return (promise instanceof Mono<?> mono) ? mono.delaySubscription(Duration.ofMillis(1)) : promise;
			});
		}

	}

	/**
	 * Transactions that change nothing, and whose commits may fail.
	 */
	static class Commits extends AbstractReactiveTransactionManager {

		private static final long serialVersionUID = 1L;

		private transient volatile @Nullable RuntimeException failure;

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager manager) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
				TransactionDefinition definition) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			RuntimeException failing = this.failure;
			return (failing != null) ? Mono.error(failing) : Mono.empty();
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.empty();
		}

	}

	static class Bank {

		private final ReactiveDatabase database;

		private final TransactionalOperator transactions;

		private final TransactionalOperator apart;

		private final ConcurrentMap<String, Boolean> failing = new ConcurrentHashMap<>();

		private final ConcurrentMap<String, Integer> runs = new ConcurrentHashMap<>();

		Bank(ReactiveDatabase database, TransactionalOperator transactions, TransactionalOperator apart) {
			this.database = database;
			this.transactions = transactions;
			this.apart = apart;
		}

		ConcurrentMap<String, Boolean> failing() {
			return this.failing;
		}

		void clear() {
			this.failing.clear();
			this.runs.clear();
		}

		int runs(String id) {
			return this.runs.getOrDefault(id, 0);
		}

		private Mono<Integer> change(String id, int balance) {
			return this.database.put(id, balance).then(Mono.fromSupplier(() -> {
				this.runs.merge(id, 1, Integer::sum);
				if (this.failing.containsKey(id)) {
					throw new IllegalStateException("failing");
				}
				return balance;
			}));
		}

		private static Mono<Integer> failure() {
			return Mono.error(new IllegalStateException("failing"));
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional("manager")
		public Mono<Integer> put(String id, int balance) {
			return change(id, balance);
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional("manager")
		public Mono<Integer> putLater(String id, int balance) {
			return change(id, balance);
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional("manager")
		public Flux<Integer> putAll(String id, int count) {
			return Flux.range(0, count).concatMap((i) -> (i < count - 1) ? Mono.just(i) : change(id, i));
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional("manager")
		public Mono<Integer> putAndWait(String id, int balance) {
			return change(id, balance).then(Mono.never());
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional("manager")
		public Mono<Integer> putSlowly(String id, int balance) {
			return change(id, balance).delayElement(Duration.ofMillis(1));
		}

		@Idempotent(name = "bank", key = "#id")
		public Mono<Integer> plain(String id, int balance) {
			return change(id, balance);
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional(value = "manager", propagation = Propagation.REQUIRES_NEW)
		public Mono<Integer> putApart(String id, int balance) {
			return change(id, balance);
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional(value = "manager", propagation = Propagation.NOT_SUPPORTED)
		public Mono<Integer> putOutside(String id, int balance) {
			return change(id, balance);
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional("manager")
		public Mono<Integer> putAndAudit(String id, int balance) {
			return Mono.delay(Duration.ofMillis(1))
				.then(this.database.put("audit " + id, balance).as(this.apart::transactional))
				.then(change(id, balance));
		}

		@Idempotent(name = "bank", key = "#id")
		public Mono<Integer> putInside(String id, int balance) {
			return change(id, balance).as(this.transactions::transactional);
		}

		@Idempotent(name = "bank", key = "#id")
		public Mono<Integer> putInsideAndWait(String id, int balance) {
			return change(id, balance).then(Mono.<Integer>never()).as(this.transactions::transactional);
		}

		@Idempotent(name = "bank", key = "#id")
		public CompletableFuture<Integer> putInFuture(String id, int balance) {
			return change(id, balance).as(this.transactions::transactional).toFuture();
		}

		@Idempotent(name = "bank", key = "#id")
		public Mono<Integer> putAndFail(String id, int balance) {
			return change(id, balance).as(this.transactions::transactional).then(failure());
		}

		@Idempotent(name = "bank", key = "#id")
		public Mono<Integer> putAtSecondAttemptAndFail(String id, int balance) {
			AtomicInteger attempts = new AtomicInteger();
			return Mono.defer(() -> (attempts.incrementAndGet() == 1) ? failure() : change(id, balance))
				.as(this.transactions::transactional)
				.retryWhen(Retry.backoff(1, Duration.ofMillis(1)))
				.then(failure());
		}

		@Idempotent(name = "bank", key = "#id")
		@Transactional("commits")
		public Mono<String> elsewhere(String id) {
			return Mono.just("done");
		}

		@Idempotent(name = "outer", key = "#id", fingerprint = "#id",
				onFailureWithoutTransaction = FailureWithoutTransaction.RELEASE)
		public Mono<Integer> outer(String id, Mono<Integer> inner) {
			return inner.then(failure());
		}

	}

}
