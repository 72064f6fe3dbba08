// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import io.ge.redis.test.scenario.RateLimitOperations;
import io.ge.redis.test.scenario.RateLimitPort;
import io.ge.redis.test.scenario.RateLimitScenario;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Redisson's rate limit for all instances. The rate of a key is set before each question,
 * since nobody knows whether Redis still has it.
 */
@Configuration(proxyBeanMethods = false)
@Import({ RedissonClients.class, RateLimitOperations.class })
class RedissonRateLimit {

	@Bean
	RateLimitPort limit(RedissonClient redisson) {
		return (key) -> {
			RRateLimiter limiter = redisson.getRateLimiter(key);
			limiter.trySetRate(RateType.OVERALL, RateLimitScenario.LIMIT, RateLimitScenario.WINDOW);
			return limiter.tryAcquire() ? RateLimitPort.Decision.ADMITTED : RateLimitPort.Decision.DENIED;
		};
	}

}
