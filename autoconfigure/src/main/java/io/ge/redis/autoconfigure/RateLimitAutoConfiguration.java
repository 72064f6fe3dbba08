// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;

import io.ge.redis.autoconfigure.application.AdviceOrder;
import io.ge.redis.autoconfigure.application.PatternBackend;
import io.ge.redis.autoconfigure.application.RateLimitRefresh;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.ratelimit.RateLimitProperties;
import io.ge.redis.ratelimit.RateLimitResolver;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.ratelimit.internal.RateLimitPattern;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Rate limits.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisGuardVerifier")
@ConditionalOnBooleanProperty(name = "ge.redis.rate-limit.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RateLimitProperties.class)
public final class RateLimitAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static RateLimitPattern geRedisRateLimitPattern(ObjectProvider<RateLimitProperties> properties,
			AttributeReader attributes, ExpressionCompiler expressions, ObjectProvider<RedisBackends> backends,
			ObjectProvider<RateLimitResolver> resolver, GuardEvents events, GuardedCalls calls,
			Environment environment) {
		return new RateLimitPattern(properties::getObject, attributes, expressions,
				new PatternBackend("rate-limit", backends, environment), resolver::getIfAvailable, events, calls);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisRateLimitAdvisor(ObjectProvider<RateLimitPattern> pattern,
			ObjectProvider<RedisBackends> backends, Environment environment) {
		int order = AdviceOrder.RATE_LIMITED.in(environment);
		return GuardAdvisor.lazily(order, () -> pattern.getObject().advisor(order),
				new PatternBackend("rate-limit", backends, environment)::get, List.of(RateLimited.class));
	}

	@Bean
	RateLimitRefresh geRedisRateLimitRefresh(ObjectProvider<RateLimitPattern> pattern, Environment environment) {
		return new RateLimitRefresh(pattern, environment);
	}

	/**
	 * Lazy, so that it needs no Redis unless the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	RateLimiter geRedisRateLimiter(RateLimitPattern pattern) {
		return pattern.rateLimiter();
	}

}
