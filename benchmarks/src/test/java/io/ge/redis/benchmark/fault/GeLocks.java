// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.scenario.LockOperations;
import io.ge.redis.test.scenario.LockPort;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Our own locks.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		LockAutoConfiguration.class })
@Import(LockOperations.class)
class GeLocks {

	@Bean
	LockPort locks(DistributedLocks locks) {
		return (key, wait, lease) -> {
			LockOptions options = LockOptions.defaults().waitTime(wait).leaseTime(lease);
			return locks.tryLock("orders", key, options).map(Held::new).orElse(null);
		};
	}

	private record Held(LockHandle handle) implements LockPort.Held {

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

}
