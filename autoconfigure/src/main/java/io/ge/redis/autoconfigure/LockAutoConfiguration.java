// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.LockProperties;
import io.ge.redis.lock.internal.LockPattern;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
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
			ExpressionCompiler expressions, GuardEvents events, GuardedCalls calls, BeanFactory beans) {
		return new LockPattern(properties::getObject, attributes, expressions, new PatternBackend("lock", beans),
				events, calls);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisLockAdvisor(ObjectProvider<LockPattern> pattern, BeanFactory beans) {
		return new PatternBackend("lock", beans).advisor(AdviceOrder.DISTRIBUTED_LOCK,
				(order) -> pattern.getObject().advisor(order), List.of(DistributedLock.class, FencingToken.class));
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

	/**
	 * Propagates locks with the thread context of the application. The registry is one
	 * for the process: the accessor is registered as long as an application needs it.
	 */
	static final class LockContextAccessor implements ThreadLocalAccessor<LockContext.Carrier>, DisposableBean {

		private static final AtomicInteger users = new AtomicInteger();

		private final ContextRegistry registry;

		public LockContextAccessor(ContextRegistry registry) {
			this.registry = registry;
			users.incrementAndGet();
			registry.registerThreadLocalAccessor(this);
		}

		@Override
		public Object key() {
			return LockContext.KEY;
		}

		@Override
		public LockContext.@Nullable Carrier getValue() {
			LockContext.Carrier carrier = LockContext.capture();
			return carrier.isEmpty() ? null : carrier;
		}

		@Override
		public void setValue(LockContext.Carrier carrier) {
			carrier.open();
		}

		@Override
		public void setValue() {
			LockContext.none().open();
		}

		@Override
		public void restore(LockContext.Carrier previous) {
			previous.resume();
		}

		@Override
		public void restore() {
			setValue();
		}

		@Override
		public void destroy() {
			if (users.decrementAndGet() == 0) {
				this.registry.removeThreadLocalAccessor((Object) LockContext.KEY);
			}
		}

	}

}
