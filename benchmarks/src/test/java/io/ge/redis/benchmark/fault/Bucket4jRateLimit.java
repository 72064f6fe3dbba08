// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.ge.redis.test.scenario.RateLimitOperations;
import io.ge.redis.test.scenario.RateLimitPort;
import io.ge.redis.test.scenario.RateLimitScenario;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Bucket4j's buckets in Redis. In a window a bucket admits what it holds and what flows
 * into it meanwhile, so one that has to keep a limit in every window is half as large and
 * is filled half as fast.
 */
@Configuration(proxyBeanMethods = false)
@Import(RateLimitOperations.class)
class Bucket4jRateLimit {

	@Bean(destroyMethod = "shutdown")
	RedisClient lettuce(@Value("${spring.data.redis.host}") String host, @Value("${spring.data.redis.port}") int port) {
		return RedisClient.create(RedisURI.create(host, port));
	}

	@Bean
	ProxyManager<byte[]> buckets(RedisClient lettuce) {
		return Bucket4jLettuce.casBasedBuilder(lettuce)
			.expirationAfterWrite(
					ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
			.build();
	}

	@Bean
	RateLimitPort limit(ProxyManager<byte[]> buckets, @Value("${peer.permits}") int permits) {
		BucketConfiguration configuration = BucketConfiguration.builder()
			.addLimit((limit) -> limit.capacity(permits).refillGreedy(permits, RateLimitScenario.WINDOW))
			.build();
		return (key) -> {
			byte[] name = key.getBytes(StandardCharsets.UTF_8);
			return buckets.getProxy(name, () -> configuration).tryConsume(1) ? RateLimitPort.Decision.ADMITTED
					: RateLimitPort.Decision.DENIED;
		};
	}

}
