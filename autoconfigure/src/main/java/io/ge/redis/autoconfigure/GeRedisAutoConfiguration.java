// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.function.UnaryOperator;

import io.ge.redis.core.RedisBackends;
import io.ge.redis.core.call.CallContext;
import io.ge.redis.core.call.CallScope;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.ApplicationEvents;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.guard.GuardVerifier;
import io.ge.redis.core.guard.GuardedMethods;
import io.ge.redis.core.guard.PatternLifecycle;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.core.script.ScriptListener;
import io.ge.redis.core.transaction.TransactionObserver;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Auto-configuration of all that guards share. Beans that take part in proxying are
 * infrastructure and depend on nothing that is not.
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "ge.redis.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ GeRedisProperties.class, OutageSettings.class })
@Import(GeRedisAutoConfiguration.GuardProxyRegistrar.class)
@ImportRuntimeHints(GeRedisRuntimeHints.class)
public final class GeRedisAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static PropertyValueCheck geRedisPropertyValueCheck() {
		return new PropertyValueCheck();
	}

	@Bean
	static LazyPatterns geRedisLazyPatterns(Environment environment) {
		return new LazyPatterns(environment);
	}

	@Bean
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static AttributeReader geRedisAttributeReader(ConfigurableListableBeanFactory beanFactory) {
		return new AttributeReader(beanFactory::resolveEmbeddedValue);
	}

	@Bean
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ExpressionCompiler geRedisExpressionCompiler(ConfigurableListableBeanFactory beanFactory) {
		return new ExpressionCompiler(beanFactory);
	}

	@Bean
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardEvents geRedisEvents(ObjectProvider<GuardListener> listeners) {
		return new GuardEvents(() -> listeners.orderedStream().toList());
	}

	@Bean
	@Lazy
	GuardListener geRedisApplicationEvents(ApplicationEventPublisher publisher) {
		return new ApplicationEvents(publisher);
	}

	@Bean
	@Lazy
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
			ObjectProvider<TransactionObserver> observers, ObjectProvider<LazyPatterns> patterns) {
		return new TransactionListenerPostProcessor(observers, () -> patterns.getObject().isUsed());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardVerifier geRedisGuardVerifier(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<GuardAdvisor> advisors, GuardedMethods methods) {
		return new GuardVerifier(beanFactory, advisors, methods);
	}

	@Bean
	PatternLifecycle geRedisPatternLifecycle(ConfigurableListableBeanFactory beanFactory) {
		return new PatternLifecycle(beanFactory);
	}

	@Bean
	UnknownProperties geRedisUnknownProperties(Environment environment, ListableBeanFactory beans) {
		return new UnknownProperties(environment, beans);
	}

	@Bean
	UnusedNames geRedisUnusedNames(ConfigurableListableBeanFactory beanFactory, GuardedMethods methods) {
		return new UnusedNames(beanFactory, methods);
	}

	@Bean
	@Lazy
	ConsumerThreads geRedisConsumerThreads(Environment environment) {
		return ConsumerThreads.create(Threading.VIRTUAL.isActive(environment));
	}

	@Bean
	@Lazy
	RedisBackendFactory geRedisBackendFactory(ListableBeanFactory beans, GeRedisProperties properties,
			Environment environment, OutageSettings outage, ObjectProvider<ScriptListener> scripts,
			ObjectProvider<OutageListener> outages) {
		return new RedisBackendFactory(beans, properties.keyPrefix(),
				environment.getProperty("spring.application.name"), outage, scripts, outages);
	}

	@Bean
	@ConditionalOnMissingBean
	RedisBackends geRedisBackends(ObjectProvider<RedisBackendFactory> factory, GeRedisProperties properties) {
		return new RedisBackends((property, name) -> factory.getObject().apply(property, name),
				properties.startup() == GeRedisProperties.Startup.REQUIRE);
	}

	/**
	 * Ensures that there is a proxy creator. Boot registers none with
	 * {@code spring.aop.auto=false}, nor with class proxying off and no weaver on the
	 * class path. Annotated methods would then run unguarded silently.
	 */
	static final class GuardProxyRegistrar implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importingClassMetadata,
				BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

	/**
	 * Propagates what an application binds to its threads, where Micrometer's context
	 * propagation is present, else nothing.
	 */
	static final class ThreadContext implements CallContext {

		private static final boolean PROPAGATING = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
				ThreadContext.class.getClassLoader());

		@Override
		public UnaryOperator<Runnable> capture() {
			return PROPAGATING ? Micrometer.capture() : UnaryOperator.identity();
		}

		@Override
		public void within(Object context, Runnable task) {
			if (PROPAGATING) {
				Micrometer.within(context, task);
			}
			else {
				task.run();
			}
		}

		private static final class Micrometer {

			private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

			static UnaryOperator<Runnable> capture() {
				return SNAPSHOTS.captureAll()::wrap;
			}

			static void within(Object context, Runnable task) {
				try (ContextSnapshot.Scope scope = SNAPSHOTS.setThreadLocalsFrom(context)) {
					task.run();
				}
			}

		}

	}

}
