// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockMode;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.instance.Operation;
import io.ge.redis.test.oracle.Journal;
import io.ge.redis.test.scenario.LockNumberOperations;
import io.ge.redis.test.scenario.LockOperations;
import io.ge.redis.test.scenario.LockPort;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The application that suffers in {@link LockFaultIntegrationTests}.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		LockAutoConfiguration.class })
@Import({ LockOperations.class, LockNumberOperations.class })
class LockFaultApplication {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/**
	 * What locks would be if they asked the clocks of instances, as a switch for tests.
	 */
	@Bean
	@ConditionalOnProperty("test.wall-clock")
	LockPort wallClockLocks(StringRedisTemplate redis) {
		return new WallClockLocks(redis);
	}

	@Bean
	@ConditionalOnMissingBean
	LockPort locks(DistributedLocks locks, @Value("${test.lock-mode:EXCLUSIVE}") LockMode mode) {
		return (key, wait, lease) -> {
			LockOptions options = LockOptions.defaults().waitTime(wait).leaseTime(lease).mode(mode);
			Optional<LockHandle> lock = locks.tryLock("orders", key, options);
			return lock.map(Held::new).orElse(null);
		};
	}

	/**
	 * Locks as asynchronous work holds them: no thread waits, and the lock is given up
	 * when the work has ended.
	 */
	@Bean
	@ConditionalOnProperty("test.reactive")
	LockPort reactiveLocks(DistributedLocks locks) {
		return (key, wait, lease) -> {
			LockOptions options = LockOptions.defaults().waitTime(wait).leaseTime(lease);
			CompletableFuture<@Nullable LockHandle> entered = new CompletableFuture<>();
			CompletableFuture<@Nullable Void> work = new CompletableFuture<>();
			CompletableFuture<@Nullable Void> section = locks
				.<@Nullable Void>executeAsync("orders", key, options, (lock) -> {
					entered.complete(lock);
					return work;
				})
				.toCompletableFuture();
			section.whenComplete((nothing, failure) -> {
				if (failure instanceof LockNotAcquiredException) {
					entered.complete(null);
				}
				else if (failure != null) {
					entered.completeExceptionally(failure);
				}
			});
			LockHandle lock = Mono.fromFuture(entered).block();
			return (lock != null) ? new Section(lock, work, section) : null;
		};
	}

	/**
	 * Holds a lock together with others. Arguments: key, mode, and wait, lease and work
	 * in milliseconds. Result: {@code done}, {@code lost} or {@code refused}.
	 */
	@Bean
	Operation together(DistributedLocks locks, Journal journal) {
		return (arguments) -> {
			LockOptions options = LockOptions.defaults()
				.mode(LockMode.valueOf(arguments[1]))
				.waitTime(millis(arguments[2]))
				.leaseTime(millis(arguments[3]));
			LockHandle lock = locks.tryLock("together", arguments[0], options).orElse(null);
			if (lock == null) {
				return "refused";
			}
			journal.write("together", arguments[0], lock.token());
			awaitLoss(lock, millis(arguments[4]));
			boolean valid = lock.isValid();
			journal.write("apart", arguments[0], lock.token());
			lock.close();
			return valid ? "done" : "lost";
		};
	}

	private static Duration millis(String text) {
		return Duration.ofMillis(Long.parseLong(text));
	}

	/**
	 * Takes a lock, waits until it is lost and enters it once more.
	 */
	@Bean
	Operation nested(DistributedLocks locks, Journal journal) {
		LockOptions options = LockOptions.defaults().leaseTime(Duration.ofSeconds(1));
		return (arguments) -> locks.execute("orders", arguments[0], options, (outer) -> {
			journal.write("outer", arguments[0]);
			awaitLoss(outer, PATIENCE);
			return locks.execute("orders", arguments[0], options, (inner) -> "entered");
		});
	}

	/**
	 * Works until the lock is lost, or the work is done.
	 */
	private static void awaitLoss(LockHandle lock, Duration work) {
		long end = System.nanoTime() + work.toNanos();
		Awaitility.await().atMost(work.plus(PATIENCE)).until(() -> !lock.isValid() || System.nanoTime() - end >= 0);
	}

	record Section(LockHandle handle, CompletableFuture<@Nullable Void> work,
			CompletableFuture<@Nullable Void> section) implements LockPort.Held {

		@Override
		public long token() {
			return this.handle.token();
		}

		@Override
		public boolean isValid() {
			return this.handle.isValid();
		}

		@Override
		public void release() {
			this.work.complete(null);
			this.section.join();
		}

	}

	record Held(LockHandle handle) implements LockPort.Held {

		@Override
		public long token() {
			return this.handle.token();
		}

		@Override
		public boolean isValid() {
			return this.handle.isValid();
		}

		@Override
		public void release() {
			this.handle.close();
		}

	}

	/**
	 * A lock that is free when the time that stands in it has come, by the clock of
	 * whoever looks.
	 */
	private record WallClockLocks(StringRedisTemplate redis) implements LockPort {

		@Override
		public @Nullable Held acquire(String key, Duration wait, Duration lease) throws InterruptedException {
			long end = System.nanoTime() + wait.toNanos();
			do {
				long now = System.currentTimeMillis();
				String expiry = String.valueOf(now + lease.toMillis());
				String held = this.redis.opsForValue().get(key);
				boolean free = held == null || held.isEmpty() || Long.parseLong(held) < now;
				if (free && java.util.Objects.equals(this.redis.opsForValue().getAndSet(key, expiry), held)) {
					return new WallClockLock(this.redis, key, Long.parseLong(expiry));
				}
				Thread.sleep(5);
			}
			while (System.nanoTime() - end < 0);
			return null;
		}

	}

	private record WallClockLock(StringRedisTemplate redis, String key, long expiry) implements LockPort.Held {

		@Override
		public long token() {
			return 0;
		}

		@Override
		public boolean isValid() {
			return System.currentTimeMillis() < this.expiry;
		}

		@Override
		public void release() {
			this.redis.delete(this.key);
		}

	}

}
