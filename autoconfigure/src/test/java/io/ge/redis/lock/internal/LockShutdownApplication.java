// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.instance.Operation;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * An application that is asked to end by a signal, in
 * {@link LockShutdownIntegrationTests}.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		LockAutoConfiguration.class })
@Import(LockShutdownApplication.Tasks.class)
class LockShutdownApplication {

	/**
	 * Lets a signal close the application, as in production.
	 */
	@Bean
	Operation closeOnSignal(ConfigurableApplicationContext context) {
		return (arguments) -> {
			context.registerShutdownHook();
			return "registered";
		};
	}

	/**
	 * Begins a task that holds a lock until the application is being closed.
	 */
	@Bean
	Operation work(Tasks tasks) {
		return (arguments) -> {
			tasks.holdUntilClosing(arguments[0]);
			return "holds";
		};
	}

	/**
	 * Waits for a lock that others hold.
	 */
	@Bean
	Operation await(DistributedLocks locks) {
		return (arguments) -> {
			locks.tryLock("orders", arguments[0], LockOptions.defaults().waitTime(Duration.ofMinutes(1)))
				.ifPresent(LockHandle::close);
			return "over";
		};
	}

	/**
	 * Work that the application sees through when it is closed.
	 */
	static class Tasks {

		private final CountDownLatch closing = new CountDownLatch(1);

		private final DistributedLocks locks;

		private final ThreadPoolTaskExecutor executor;

		Tasks(DistributedLocks locks, ThreadPoolTaskExecutor executor) {
			this.locks = locks;
			this.executor = executor;
		}

		@Bean
		static ThreadPoolTaskExecutor executor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setWaitForTasksToCompleteOnShutdown(true);
			executor.setAwaitTerminationSeconds(20);
			return executor;
		}

		@EventListener(ContextClosedEvent.class)
		void closing() {
			this.closing.countDown();
		}

		/**
		 * Returns, as soon as the lock is held, what completes when the work is done.
		 */
		CompletableFuture<Void> holdUntilClosing(String key) {
			CountDownLatch held = new CountDownLatch(1);
			CompletableFuture<Void> done = this.executor
				.submitCompletable(() -> this.locks.execute("orders", key, LockOptions.defaults(), (lock) -> {
					held.countDown();
					this.closing.await();
					return null;
				}));
			try {
				held.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			return done;
		}

	}

}
