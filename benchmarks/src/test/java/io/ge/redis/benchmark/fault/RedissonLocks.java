// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.util.concurrent.TimeUnit;

import io.ge.redis.test.scenario.LockOperations;
import io.ge.redis.test.scenario.LockPort;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Redisson's locks, with or without tokens. A holder that asks whether it still is one
 * asks Redis.
 */
@Configuration(proxyBeanMethods = false)
@Import({ RedissonClients.class, LockOperations.class })
class RedissonLocks {

	@Bean
	@ConditionalOnProperty("peer.fenced")
	LockPort fencedLocks(RedissonClient redisson) {
		return (key, wait, lease) -> {
			RFencedLock lock = redisson.getFencedLock(key);
			Long token = lock.tryLockAndGetToken(wait.toMillis(), TimeUnit.MILLISECONDS);
			return (token != null) ? new Held(lock, token) : null;
		};
	}

	@Bean
	@ConditionalOnMissingBean
	LockPort locks(RedissonClient redisson) {
		return (key, wait, lease) -> {
			RLock lock = redisson.getLock(key);
			return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS) ? new Held(lock, 0) : null;
		};
	}

	private static final class Held implements LockPort.Held {

		private final RLock lock;

		private final long token;

		private boolean lost;

		private Held(RLock lock, long token) {
			this.lock = lock;
			this.token = token;
		}

		@Override
		public long token() {
			return this.token;
		}

		@Override
		public boolean isValid() {
			this.lost = !this.lock.isHeldByCurrentThread();
			return !this.lost;
		}

		@Override
		public void release() {
			// Who has learnt that it lost the lock is not told once more by an exception
			if (!this.lost) {
				this.lock.unlock();
			}
		}

	}

}
