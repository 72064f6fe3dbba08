// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.locks.Lock;

import io.ge.redis.test.scenario.LockOperations;
import io.ge.redis.test.scenario.LockPort;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's locks, renewed by its scheduler as ours are. They have no tokens;
 * a holder that asks whether it still is one renews its lock.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
@Import(LockOperations.class)
class RegistryLocks {

	@Bean
	ThreadPoolTaskScheduler renewals() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(4);
		scheduler.setErrorHandler((failure) -> {
		});
		return scheduler;
	}

	@Bean(destroyMethod = "destroy")
	RedisLockRegistry registry(RedisConnectionFactory connectionFactory, ThreadPoolTaskScheduler renewals,
			@Value("${peer.lease:30s}") Duration lease, @Value("${peer.type:SPIN_LOCK}") RedisLockType type) {
		RedisLockRegistry registry = new RedisLockRegistry(connectionFactory, "orders", lease);
		registry.setRedisLockType(type);
		registry.setRenewalTaskScheduler(renewals);
		return registry;
	}

	@Bean
	LockPort locks(RedisLockRegistry registry) {
		return (key, wait, lease) -> {
			Lock lock = registry.obtain(key);
			return lock.tryLock(wait.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS)
					? new Held(registry, key, lock) : null;
		};
	}

	private static final class Held implements LockPort.Held {

		private final RedisLockRegistry registry;

		private final String key;

		private final Lock lock;

		private boolean lost;

		private Held(RedisLockRegistry registry, String key, Lock lock) {
			this.registry = registry;
			this.key = key;
			this.lock = lock;
		}

		@Override
		public long token() {
			return 0;
		}

		@Override
		public boolean isValid() {
			try {
				this.registry.renewLock(this.key);
				return true;
			}
			catch (IllegalStateException ex) {
				this.lost = true;
				return false;
			}
		}

		@Override
		public void release() {
			try {
				this.lock.unlock();
			}
			catch (ConcurrentModificationException ex) {
				// Who has learnt that it lost the lock is not told once more
				if (!this.lost) {
					throw ex;
				}
			}
		}

	}

}
