// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks go along where an application hands on its thread context, and nowhere else.
 */
class LockContextPropagationIntegrationTests {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private final ApplicationContextRunner silent = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				GeRedisAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s");

	private final ApplicationContextRunner runner = this.silent
		.withPropertyValues("ge.redis.lock.propagate-context=true");

	private final ContextSnapshotFactory snapshots = ContextSnapshotFactory.builder().build();

	private final ExecutorService threads = Executors.newFixedThreadPool(2);

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
	}

	@Test
	void snapshotTakesLocksToAnotherThreadAndLeavesNothingThere() {
		run(this.runner, (locks) -> locks.execute("orders", 42, OPTIONS, (outer) -> {
			ContextSnapshot snapshot = this.snapshots.captureAll();
			long token = elsewhere(() -> snapshot.<Long>wrap(() -> {
				LockAssert.assertHeld("orders");
				return locks.<Long, RuntimeException>execute("orders", 42, OPTIONS, LockHandle::token);
			}).call());
			assertThat(token).isEqualTo(outer.token());
			assertThat(elsewhere(LockContextPropagationIntegrationTests::isUnderLock)).isFalse();
			assertThat(outer.isValid()).isTrue();
			return null;
		}));
	}

	@Test
	@Wide
	void executorThatPropagatesTakesLocksAlong() {
		run(this.runner, (locks) -> {
			ExecutorService propagating = ContextExecutorService.wrap(this.threads, this.snapshots);
			locks.execute("orders", 42, OPTIONS, (outer) -> {
				assertThat(get(propagating.submit(() -> LockContext.current().token()))).isEqualTo(outer.token());
				assertThat(get(this.threads.submit(LockContextPropagationIntegrationTests::isUnderLock))).isFalse();
				return null;
			});
		});
	}

	@Test
	void asynchronousMethodRunsUnderTheLocksOfItsCaller() {
		this.runner.withUserConfiguration(AsyncConfiguration.class)
			.run((context) -> assertThat(context.getBean(Desk.class).sell(42)).isPositive());
	}

	@Test
	void publishersRunUnderTheirLocksOnAllThreads() {
		Hooks.enableAutomaticContextPropagation();
		try {
			this.runner.withBean(Warehouse.class).run((context) -> {
				DistributedLocks locks = context.getBean(DistributedLocks.class);
				List<Boolean> afterwards = new CopyOnWriteArrayList<>();
				Mono<Long> work = context.getBean(Warehouse.class)
					.count(42, () -> Mono.just(1L).publishOn(Schedulers.boundedElastic()).map((one) -> {
						LockAssert.assertHeld("orders");
						return locks.<Long, RuntimeException>execute("orders", 42, OPTIONS,
								(again) -> again.token() - LockContext.current().token());
					}))
					.doOnNext((difference) -> afterwards.add(isUnderLock()));
				for (int i = 0; i < 3; i++) {
					assertThat(work.block(Duration.ofSeconds(30))).isZero();
				}
				assertThat(afterwards).containsExactly(false, false, false);
				// Whoever is inside already is found, and gives the lock up
				Long nested = locks.<Long, RuntimeException>execute("orders", 42, OPTIONS,
						(outer) -> work.block(Duration.ofSeconds(30)));
				assertThat(nested).isZero();
				assertThat(isUnderLock()).isFalse();
				locks.lock("orders", 42, OPTIONS).close();
			});
		}
		finally {
			Hooks.disableAutomaticContextPropagation();
		}
	}

	@Test
	void nothingIsTakenAlongUnlessItIsAskedFor() {
		run(this.silent, (locks) -> locks.execute("orders", 42, OPTIONS, (outer) -> {
			ContextSnapshot snapshot = this.snapshots.captureAll();
			assertThat(elsewhere(() -> snapshot.wrap(LockContextPropagationIntegrationTests::isUnderLock).call()))
				.isFalse();
			return null;
		}));
		assertThat(isRegistered()).isFalse();
	}

	@Test
	@Wide
	void startsWithoutContextPropagationOnTheClasspath() {
		this.runner.withClassLoader(new FilteredClassLoader(ContextRegistry.class)).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(LockAutoConfiguration.LockContextAccessor.class);
			assertThat(context).hasSingleBean(DistributedLocks.class);
		});
	}

	@Test
	@Wide
	void accessorGoesWithTheLastApplicationThatWantsIt() {
		this.runner.run((first) -> {
			this.runner.run((second) -> assertThat(isRegistered()).isTrue());
			assertThat(isRegistered()).isTrue();
		});
		assertThat(isRegistered()).isFalse();
	}

	@Test
	void workThatOutlivesTheSectionIsNoHolder() {
		run(this.runner, (locks) -> {
			ContextSnapshot snapshot = locks.<ContextSnapshot, RuntimeException>execute("orders", 42, OPTIONS,
					(outer) -> this.snapshots.captureAll());
			try (LockHandle next = locks.lock("orders", 42, OPTIONS)) {
				elsewhere(() -> snapshot.wrap(() -> {
					assertThat(LockContext.current().isValid()).isFalse();
					assertThatExceptionOfType(LockLostException.class)
						.isThrownBy(() -> LockAssert.assertHeld("orders"));
					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> locks.execute("orders", 42, OPTIONS, (inner) -> null));
					return null;
				}).call());
				assertThat(next.isValid()).isTrue();
			}
		});
	}

	@Test
	void lockThatIsEnteredOnAnotherThreadStaysUntilThatIsLeft() {
		run(this.runner, (locks) -> {
			CountDownLatch entered = new CountDownLatch(1);
			CountDownLatch leave = new CountDownLatch(1);
			Future<Boolean> child = locks.<Future<Boolean>, RuntimeException>execute("orders", 42, OPTIONS, (outer) -> {
				ContextSnapshot snapshot = this.snapshots.captureAll();
				Callable<Boolean> work = snapshot
					.wrap(() -> locks.<Boolean, RuntimeException>execute("orders", 42, OPTIONS, (inner) -> {
						entered.countDown();
						await(leave);
						return inner.isValid() && inner.token() == outer.token();
					}));
				Future<Boolean> started = this.threads.submit(work);
				await(entered);
				return started;
			});
			assertThat(isUnderLock()).isFalse();
			assertThat(locks.tryLock("orders", 42)).isEmpty();
			leave.countDown();
			assertThat(get(child)).isTrue();
			locks.lock("orders", 42, OPTIONS.waitTime(Duration.ofSeconds(10))).close();
			assertThat(SharedRedis.standalone().endpoints().get(0).command("EXISTS", "ge:lock:{orders:42}"))
				.isEqualTo(0L);
		});
	}

	@Test
	@Wide
	void scopeOnTheSameThreadGivesItsOwnLocksBack() {
		run(this.runner, (locks) -> {
			ContextSnapshot none = this.snapshots.captureAll();
			ContextSnapshotFactory clearing = ContextSnapshotFactory.builder().clearMissing(true).build();
			ContextSnapshot cleared = clearing.captureAll();
			locks.execute("orders", 42, OPTIONS, (outer) -> {
				ContextSnapshot snapshot = this.snapshots.captureAll();
				locks.execute("orders", 43, OPTIONS, (second) -> {
					try (ContextSnapshot.Scope scope = snapshot.setThreadLocals()) {
						assertThat(LockContext.current()).isSameAs(outer);
					}
					try (ContextSnapshot.Scope scope = none.setThreadLocals()) {
						assertThat(LockContext.current()).isSameAs(second);
					}
					try (ContextSnapshot.Scope scope = cleared.setThreadLocals()) {
						assertThat(isUnderLock()).isFalse();
					}
					assertThat(LockContext.current()).isSameAs(second);
					return null;
				});
				assertThat(LockContext.current()).isSameAs(outer);
				return null;
			});
			assertThat(LockContext.capture().isEmpty()).isTrue();
		});
	}

	private static boolean isRegistered() {
		return ContextRegistry.getInstance()
			.getThreadLocalAccessors()
			.stream()
			.anyMatch((accessor) -> accessor.key().equals(LockContext.KEY));
	}

	private static boolean isUnderLock() {
		return !LockContext.capture().isEmpty();
	}

	private <T> T elsewhere(Callable<T> work) {
		return get(this.threads.submit(work));
	}

	private static <T> T get(Future<T> future) {
		try {
			return future.get(30, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void run(ApplicationContextRunner runner, Consumer<DistributedLocks> use) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			use.accept(context.getBean(DistributedLocks.class));
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@Import({ Desk.class, Stock.class })
	static class AsyncConfiguration {

		@Bean
		ThreadPoolTaskExecutor taskExecutor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setTaskDecorator(new ContextPropagatingTaskDecorator());
			return executor;
		}

	}

	static class Desk {

		private final Stock stock;

		Desk(Stock stock) {
			this.stock = stock;
		}

		@DistributedLock(name = "orders", key = "#order")
		public long sell(int order) {
			long token = LockContext.current().token();
			assertThat(get(this.stock.take(order))).isEqualTo(token);
			return token;
		}

	}

	static class Warehouse {

		@DistributedLock(name = "orders", key = "#order")
		public Mono<Long> count(int order, Supplier<Mono<Long>> work) {
			return work.get();
		}

	}

	static class Stock {

		@Async
		public CompletableFuture<Long> take(int order) {
			LockAssert.assertHeld("orders");
			return CompletableFuture.completedFuture(LockContext.current().token());
		}

	}

}
