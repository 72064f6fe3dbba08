/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.autoconfigure.aot.GeRedisRuntimeHints;
import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.CallScope;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.ApplicationEvents;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardVerifier;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.core.script.ScriptListener;
import io.ge.redis.core.transaction.TransactionObserver;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of all that guards share. Beans that take part in proxying are
 * infrastructure and depend on nothing that is not.
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "ge.redis.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ GeRedisProperties.class, OutageSettings.class })
@Import(GuardProxyRegistrar.class)
@ImportRuntimeHints(GeRedisRuntimeHints.class)
public final class GeRedisAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DurationUnitCheck geRedisDurationUnitCheck() {
		return new DurationUnitCheck();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static AttributeReader geRedisAttributeReader(ConfigurableListableBeanFactory beanFactory) {
		return new AttributeReader(beanFactory::resolveEmbeddedValue);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ExpressionCompiler geRedisExpressionCompiler(ConfigurableListableBeanFactory beanFactory) {
		return new ExpressionCompiler(beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardEvents geRedisEvents(ObjectProvider<GuardListener> listeners) {
		return new GuardEvents(() -> listeners.orderedStream().toList());
	}

	@Bean
	GuardListener geRedisApplicationEvents(ApplicationEventPublisher publisher) {
		return new ApplicationEvents(publisher);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardedCalls geRedisGuardedCalls(ObjectProvider<CallScope> scopes) {
		return new GuardedCalls(new ThreadContext(), () -> scopes.orderedStream().toList());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardedMethods geRedisGuardedMethods() {
		return new GuardedMethods();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static TransactionListenerPostProcessor geRedisTransactionListenerPostProcessor(
			ObjectProvider<TransactionObserver> observers) {
		return new TransactionListenerPostProcessor(observers);
	}

	@Bean
	GuardVerifier geRedisGuardVerifier(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<GuardAdvisor> advisors, GuardedMethods methods) {
		return new GuardVerifier(beanFactory, advisors.orderedStream().toList(), methods);
	}

	@Bean
	UnusedNames geRedisUnusedNames(BeanFactory beanFactory, GuardedMethods methods) {
		return new UnusedNames(beanFactory, methods);
	}

	@Bean
	RedisBackendFactory geRedisBackendFactory(ListableBeanFactory beans, GeRedisProperties properties,
			Environment environment, OutageSettings outage, ObjectProvider<ScriptListener> scripts,
			ObjectProvider<OutageListener> outages) {
		return new RedisBackendFactory(beans, properties.keyPrefix(),
				environment.getProperty("spring.application.name"), outage, scripts, outages);
	}

	@Bean
	@ConditionalOnMissingBean
	RedisBackends geRedisBackends(RedisBackendFactory factory) {
		return new RedisBackends(factory);
	}

}
