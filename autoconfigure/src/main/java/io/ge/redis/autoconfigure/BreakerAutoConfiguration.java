// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;

import io.ge.redis.breaker.BreakerProperties;
import io.ge.redis.breaker.CircuitBreaker;
import io.ge.redis.breaker.CircuitBreakers;
import io.ge.redis.breaker.internal.BreakerPattern;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;

import org.springframework.beans.factory.BeanFactory;
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
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Circuit breakers.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisGuardVerifier")
@ConditionalOnBooleanProperty(name = "ge.redis.breaker.enabled", matchIfMissing = true)
@EnableConfigurationProperties(BreakerProperties.class)
public final class BreakerAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static BreakerPattern geRedisBreakerPattern(ObjectProvider<BreakerProperties> properties,
			AttributeReader attributes, ExpressionCompiler expressions, GuardEvents events, GuardedCalls calls,
			BeanFactory beans) {
		return new BreakerPattern(properties::getObject, attributes, expressions, new PatternBackend("breaker", beans),
				events, calls,
				(name) -> beans.containsBean(name) && beans.isTypeMatch(name, RedisConnectionFactory.class));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisBreakerAdvisor(ObjectProvider<BreakerPattern> pattern, BeanFactory beans) {
		return new PatternBackend("breaker", beans).advisor(AdviceOrder.CIRCUIT_BREAKER,
				(order) -> pattern.getObject().advisor(order), List.of(CircuitBreaker.class));
	}

	/**
	 * Lazy, so that it needs no Redis unless the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	CircuitBreakers geRedisCircuitBreakers(BreakerPattern pattern) {
		return pattern.circuitBreakers();
	}

}
