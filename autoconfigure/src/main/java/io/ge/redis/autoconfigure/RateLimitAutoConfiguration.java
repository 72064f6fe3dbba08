// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;

import io.ge.redis.GuardConfigurationException;
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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.event.SmartApplicationListener;
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
			AttributeReader attributes, ExpressionCompiler expressions, ObjectProvider<RateLimitResolver> resolver,
			GuardEvents events, GuardedCalls calls, BeanFactory beans) {
		return new RateLimitPattern(properties::getObject, attributes, expressions,
				new PatternBackend("rate-limit", beans), resolver::getIfAvailable, events, calls);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisRateLimitAdvisor(ObjectProvider<RateLimitPattern> pattern, BeanFactory beans) {
		return new PatternBackend("rate-limit", beans).advisor(AdviceOrder.RATE_LIMITED,
				(order) -> pattern.getObject().advisor(order), List.of(RateLimited.class));
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

	/**
	 * Reads the rate limits again when Spring Cloud reports a changed environment.
	 * Invalid properties are logged, and change nothing.
	 */
	static final class RateLimitRefresh implements SmartApplicationListener {

		/** Known by name, since the library does not depend on Spring Cloud. */
		public static final String EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

		private static final Log logger = LogFactory.getLog(RateLimitRefresh.class);

		private final ObjectProvider<RateLimitPattern> pattern;

		private final Environment environment;

		public RateLimitRefresh(ObjectProvider<RateLimitPattern> pattern, Environment environment) {
			this.pattern = pattern;
			this.environment = environment;
		}

		@Override
		public boolean supportsEventType(Class<? extends ApplicationEvent> eventType) {
			return eventType.getName().equals(EVENT);
		}

		@Override
		public void onApplicationEvent(ApplicationEvent event) {
			try {
				this.pattern.getObject()
					.refresh(Binder.get(this.environment, new PropertyValueCheck().apply(BindHandler.DEFAULT))
						.bindOrCreate("ge.redis.rate-limit", RateLimitProperties.class));
			}
			catch (GuardConfigurationException ex) {
				logger.error("Rate limits stay as they were. " + ex.getMessage());
			}
			catch (BindException ex) {
				logger.error("Rate limits stay as they were. " + ex.getMessage() + ": " + ex.getCause());
			}
		}

	}

}
