// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import java.util.List;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.scenario.RateLimitOperations;
import io.ge.redis.test.scenario.RateLimitPort;
import io.ge.redis.test.scenario.RateLimitScenario;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Our own rate limit, which denies while Redis is away: the peers have no limit of their
 * own to fall back to.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
		RateLimitAutoConfiguration.class })
@Import(RateLimitOperations.class)
class GeRateLimit {

	@Bean
	RateLimitPort limit(RateLimiter limiter) {
		List<RateLimit> limits = List.of(RateLimit.of("orders", RateLimitScenario.LIMIT, RateLimitScenario.WINDOW)
			.withOnOutage(OutagePolicy.DENY));
		return (key) -> limiter.tryAcquire(limits, key).isAllowed() ? RateLimitPort.Decision.ADMITTED
				: RateLimitPort.Decision.DENIED;
	}

}
