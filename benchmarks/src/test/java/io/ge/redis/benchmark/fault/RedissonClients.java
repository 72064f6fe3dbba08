// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.time.Duration;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Redisson as it comes, for one server. Its watchdog renews what is locked without a
 * lease, which is what our locks do: the lease of a scenario is the watchdog's timeout.
 */
@Configuration(proxyBeanMethods = false)
class RedissonClients {

	@Bean(destroyMethod = "shutdown")
	RedissonClient redisson(@Value("${spring.data.redis.host}") String host,
			@Value("${spring.data.redis.port}") int port, @Value("${peer.lease:30s}") Duration lease) {
		Config config = new Config();
		config.setLockWatchdogTimeout(lease.toMillis());
		config.useSingleServer().setAddress("redis://" + host + ":" + port);
		return Redisson.create(config);
	}

}
