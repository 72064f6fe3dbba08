// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;

import io.ge.redis.autoconfigure.application.AdviceOrder;
import io.ge.redis.autoconfigure.application.LockContextAccessor;
import io.ge.redis.autoconfigure.application.PatternBackend;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.lock.internal.LockPattern;
import io.micrometer.context.ContextRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Locks.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class)
@ConditionalOnBean(name = "geRedisGuardVerifier")
@ConditionalOnBooleanProperty(name = "ge.redis.lock.enabled", matchIfMissing = true)
@EnableConfigurationProperties(LockProperties.class)
public final class LockAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockPattern geRedisLockPattern(ObjectProvider<LockProperties> properties, AttributeReader attributes,
			ExpressionCompiler expressions, ObjectProvider<RedisBackends> backends, GuardEvents events,
			GuardedCalls calls, Environment environment) {
		return new LockPattern(properties::getObject, attributes, expressions,
				new PatternBackend("lock", backends, environment), events, calls);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisLockAdvisor(ObjectProvider<LockPattern> pattern, ObjectProvider<RedisBackends> backends,
			Environment environment) {
		int order = AdviceOrder.DISTRIBUTED_LOCK.in(environment);
		return GuardAdvisor.lazily(order, () -> pattern.getObject().advisor(order),
				new PatternBackend("lock", backends, environment)::get,
				List.of(DistributedLock.class, FencingToken.class));
	}

	/**
	 * Lazy, so that it needs no Redis unless the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	DistributedLocks geRedisDistributedLocks(LockPattern pattern) {
		return pattern.distributedLocks();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(ContextRegistry.class)
	@ConditionalOnBooleanProperty("ge.redis.lock.propagate-context")
	static class ContextPropagationConfiguration {

		@Bean
		LockContextAccessor geRedisLockContextAccessor() {
			return new LockContextAccessor(ContextRegistry.getInstance());
		}

	}

}
