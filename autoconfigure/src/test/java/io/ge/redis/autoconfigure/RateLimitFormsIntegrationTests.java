// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.ratelimit.RateLimitDecision;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.EmptyTransactionManager;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import io.micrometer.context.ContextRegistry;
import org.aopalliance.intercept.MethodInvocation;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.ParallelFlux;

import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Rate limits of methods whose results come later.
 */
class RateLimitFormsIntegrationTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final ThreadLocal<@Nullable String> USER = new ThreadLocal<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		// A busy machine is no outage
		.withPropertyValues("ge.redis.outage.command-timeout=5s");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void futureIsRefusedByItsResultAndTheMethodHasNotRun() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThat(desk.future("anna")).succeedsWithin(LONG).isEqualTo("done");
			assertThat(desk.stage("anna").toCompletableFuture()).succeedsWithin(LONG).isEqualTo("done");
			assertThat(desk.future("anna")).failsWithin(LONG)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(RateLimitExceededException.class)
				.withMessageContaining("Desk.future(String): tasks");
			assertThat(desk.runs()).hasValue(2);
		});
	}

	@Test
	void publishersAreDecidedAtEachSubscription() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			Mono<String> mono = desk.mono("anna");
			Flux<Integer> flux = desk.flux("boris");
			assertThat(desk.runs()).hasValue(0);
			assertThat(context.getBean(RateLimiter.class).tryAcquire("tasks", "anna", 0).quotas().get(0).remaining())
				.isEqualTo(2);
			assertThat(mono.block(LONG)).isEqualTo("done");
			assertThat(mono.block(LONG)).isEqualTo("done");
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> mono.block(LONG));
			assertThat(flux.collectList().block(LONG)).containsExactly(1, 2, 3);
			assertThat(flux.collectList().block(LONG)).containsExactly(1, 2, 3);
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> flux.blockLast(LONG));
			assertThat(desk.runs()).hasValue(4);
		});
	}

	@Test
	@Wide
	void fallbackAnswersInTheSameForm() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			assertThat(desk.quote("SOL").block(LONG)).isEqualTo("fresh SOL");
			assertThat(desk.quote("SOL").block(LONG)).isEqualTo("old SOL after [quotes]");
		});
	}

	@Test
	@Wide
	void permitsOfFailuresAreGivenBack() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> desk.fails("anna").block(LONG));
				assertThat(desk.failsLater("anna")).failsWithin(LONG);
				RateLimiter limiter = context.getBean(RateLimiter.class);
				Awaitility.await()
					.until(() -> limiter.tryAcquire("refunded", "anna", 0).quotas().get(0).remaining() == 2);
			}
		});
	}

	@Test
	void methodNeverRunsOnAThreadOfTheDriver() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 50; i++) {
				desk.future("future " + i).get(30, TimeUnit.SECONDS);
				desk.mono("mono " + i).block(LONG);
			}
			assertThat(desk.threads()).hasSize(100).noneMatch((name) -> name.contains("lettuce"));
		});
	}

	@Test
	void whatIsBoundToTheCallerIsFoundByTheMethod() {
		ContextRegistry.getInstance().registerThreadLocalAccessor("forms.user", USER);
		try {
			this.runner.withBean(Desk.class).run((context) -> {
				Desk desk = context.getBean(Desk.class);
				USER.set("anna");
				CompletableFuture<String> future = desk.boundFuture("1");
				USER.remove();
				assertThat(future).succeedsWithin(LONG).isEqualTo("anna");
				assertThat(desk.bound("2").contextWrite((view) -> view.put("forms.user", "boris")).block(LONG))
					.isEqualTo("boris");
				assertThat(desk.bound("3").block(LONG)).isEqualTo("nobody");
			});
		}
		finally {
			ContextRegistry.getInstance().removeThreadLocalAccessor("forms.user");
		}
	}

	@Test
	@Wide
	void futureInATransactionOfItsCallerIsMadeInside() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			for (int i = 0; i < 20; i++) {
				String call = "call " + i;
				TransactionTemplate transaction = new TransactionTemplate(new EmptyTransactionManager());
				Boolean inside = transaction.execute((status) -> desk.isInTransaction(call).join());
				assertThat(inside).isTrue();
				assertThat(desk.isInTransaction(call + " outside").join()).isFalse();
			}
		});
	}

	@Test
	@Wide
	void whoWaitsForItsTurnIsNotBlockedAndMayGo() {
		this.runner.withBean(Desk.class).run((context) -> {
			Desk desk = context.getBean(Desk.class);
			RateLimiter limiter = context.getBean(RateLimiter.class);
			assertThat(desk.paced("anna").block(LONG)).isEqualTo("done");
			Disposable waiting = desk.paced("anna").subscribe();
			CompletableFuture<String> waitingToo = desk.pacedFuture("anna");
			assertThat(waitingToo).isNotDone();
			CompletableFuture<Void> waitingInCode = limiter.acquireAsync("paced", "anna").toCompletableFuture();
			assertThat(waitingInCode).isNotDone();
			assertThat(desk.paced("boris").block(LONG)).isEqualTo("done");
			long alone = stored("boris");
			Awaitility.await().until(() -> stored("anna") == 4 * alone);
			waiting.dispose();
			waitingToo.cancel(true);
			waitingInCode.cancel(true);
			// As if they had never come
			Awaitility.await().until(() -> stored("anna") == alone);
			assertThat(desk.runs()).hasValue(2);
		});
	}

	/**
	 * How many admissions the window of a user has.
	 */
	private static long stored(String user) {
		List<?> keys = (List<?>) SharedRedis.standalone().primary().command("KEYS", "*{" + user + "}*paced*");
		return keys.isEmpty() ? 0 : (Long) SharedRedis.standalone().primary().command("LLEN", keys.get(0).toString());
	}

	@Test
	@Wide
	void adviceFurtherInKnowsTheCallThatItIsAbout() {
		this.runner.withBean(Desk.class)
			.withBean(Audit.class, Audit::new, (bean) -> bean.setRole(BeanDefinition.ROLE_INFRASTRUCTURE))
			.run((context) -> {
				Desk desk = context.getBean(Desk.class);
				assertThat(desk.audited("anna").block(LONG)).isEqualTo("done");
				assertThat(desk.auditedFuture("boris")).succeedsWithin(LONG).isEqualTo("done");
				Mono<String> other = desk.audited("carl");
				assertThat(desk.auditedAround("dora", other).block(LONG)).isEqualTo("done");
				assertThat(context.getBean(Audit.class).seen()).containsExactly("audited anna", "auditedFuture boris",
						"auditedAround dora", "audited carl");
			});
	}

	@Test
	@Wide
	void apiHasTwinsThatDoNotBlock() {
		this.runner.withBean(Desk.class)
			.withPropertyValues("ge.redis.rate-limit.limits.code.limit=1")
			.run((context) -> {
				RateLimiter limiter = context.getBean(RateLimiter.class);
				List<String> threads = new ArrayList<>();
				assertThat(limiter.tryAcquireAsync("code", 42).thenApply((decision) -> {
					threads.add(Thread.currentThread().getName());
					return decision.isAllowed();
				}).toCompletableFuture()).succeedsWithin(LONG).isEqualTo(true);
				assertThat(threads).noneMatch((name) -> name.contains("lettuce"));
				assertThat(limiter.tryAcquireAsync("code", 42).toCompletableFuture()).succeedsWithin(LONG)
					.isInstanceOf(RateLimitDecision.Denied.class);
				assertThat(limiter.acquireAsync("code", 42).toCompletableFuture()).failsWithin(LONG)
					.withThrowableOfType(ExecutionException.class)
					.withCauseInstanceOf(RateLimitExceededException.class);
				assertThat(limiter.resetAsync("code", 42).toCompletableFuture()).succeedsWithin(LONG);
				assertThat(limiter.tryAcquire("code", 42).isAllowed()).isTrue();
			});
	}

	@Test
	void whatCannotBeFollowedIsRefusedAtTheStart() {
		this.runner.withBean(WithFuture.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("WithFuture.future()")
				.hasMessageContaining("the return type Future cannot be guarded"));
		this.runner.withBean(WithParallelFlux.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("the return type ParallelFlux cannot be guarded"));
		this.runner.withBean(WithOtherFallback.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("there is no fallback method 'plain' that fits"));
	}

	static class Desk {

		private final AtomicInteger runs = new AtomicInteger();

		private final List<String> threads = new CopyOnWriteArrayList<>();

		public AtomicInteger runs() {
			return this.runs;
		}

		public List<String> threads() {
			return this.threads;
		}

		private String run() {
			this.runs.incrementAndGet();
			this.threads.add(Thread.currentThread().getName());
			return "done";
		}

		@RateLimited(name = "tasks", key = "#user", limit = 2, window = "1h")
		public CompletableFuture<String> future(String user) {
			return CompletableFuture.completedFuture(run());
		}

		@RateLimited(name = "tasks", key = "#user", limit = 2, window = "1h")
		public CompletionStage<String> stage(String user) {
			return CompletableFuture.completedFuture(run());
		}

		@RateLimited(name = "tasks", key = "#user", limit = 2, window = "1h")
		public Mono<String> mono(String user) {
			return Mono.just(run());
		}

		@RateLimited(name = "tasks", key = "#user", limit = 2, window = "1h")
		public Flux<Integer> flux(String user) {
			run();
			return Flux.just(1, 2, 3);
		}

		@RateLimited(name = "quotes", limit = 1, window = "1h", fallback = "oldQuote")
		public Mono<String> quote(String symbol) {
			return Mono.just("fresh " + symbol);
		}

		Mono<String> oldQuote(String symbol, RateLimitExceededException refusal) {
			return Mono.just("old " + symbol + " after " + refusal.violated());
		}

		@RateLimited(name = "refunded", key = "#user", limit = 2, window = "1h", refundOn = IllegalStateException.class)
		public Mono<String> fails(String user) {
			return Mono.error(new IllegalStateException("failed"));
		}

		@RateLimited(name = "refunded", key = "#user", limit = 2, window = "1h", refundOn = IllegalStateException.class)
		public CompletableFuture<String> failsLater(String user) {
			return CompletableFuture.supplyAsync(() -> {
				throw new IllegalStateException("failed");
			});
		}

		@RateLimited(name = "paced", key = "#user", limit = 1, window = "10m", waitTime = "1h")
		public Mono<String> paced(String user) {
			return Mono.just(run());
		}

		@RateLimited(name = "paced", key = "#user", limit = 1, window = "10m", waitTime = "1h")
		public CompletableFuture<String> pacedFuture(String user) {
			return CompletableFuture.completedFuture(run());
		}

		@RateLimited(name = "bound", key = "#call", limit = 1, window = "1h")
		public CompletableFuture<String> boundFuture(String call) {
			return CompletableFuture.completedFuture(user());
		}

		@RateLimited(name = "bound", key = "#call", limit = 1, window = "1h")
		public Mono<String> bound(String call) {
			return Mono.just(user());
		}

		@RateLimited(name = "bound", key = "#call", limit = 1, window = "1h")
		public CompletableFuture<Boolean> isInTransaction(String call) {
			return CompletableFuture.completedFuture(TransactionSynchronizationManager.isActualTransactionActive());
		}

		@RateLimited(name = "bound", key = "#call", limit = 1, window = "1h")
		public Mono<String> audited(String call) {
			return Mono.just("done");
		}

		@RateLimited(name = "bound", key = "#call", limit = 1, window = "1h")
		public CompletableFuture<String> auditedFuture(String call) {
			return CompletableFuture.completedFuture("done");
		}

		@RateLimited(name = "bound", key = "#call", limit = 1, window = "1h")
		public Mono<String> auditedAround(String call, Mono<String> other) {
			return Mono.just(String.valueOf(other.block(LONG)));
		}

		private static String user() {
			String user = USER.get();
			return (user != null) ? user : "nobody";
		}

	}

	/**
	 * Advice further in that asks which call it is about, as that of an aspect does.
	 */
	static class Audit extends DefaultPointcutAdvisor {

		private static final long serialVersionUID = 1L;

		private final transient List<String> seen = new CopyOnWriteArrayList<>();

		Audit() {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.addMethodName("audited*");
			pointcut.setClassFilter(Desk.class::isAssignableFrom);
			setPointcut(pointcut);
			setAdvice((MethodBeforeAdvice) (method, arguments, target) -> {
				MethodInvocation current = ExposeInvocationInterceptor.currentInvocation();
				this.seen.add(current.getMethod().getName() + " " + current.getArguments()[0]);
			});
		}

		List<String> seen() {
			return this.seen;
		}

	}

	static class WithFuture {

		@RateLimited(limit = 1)
		public Future<String> future() {
			return CompletableFuture.completedFuture("done");
		}

	}

	static class WithParallelFlux {

		@RateLimited(limit = 1)
		public ParallelFlux<String> flux() {
			return Flux.just("done").parallel();
		}

	}

	static class WithOtherFallback {

		@RateLimited(limit = 1, fallback = "plain")
		public Mono<String> mono() {
			return Mono.just("done");
		}

		String plain() {
			return "done";
		}

	}

}
