// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.PrincipalProvider;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.GuardAdvisor;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.idempotency.Idempotency;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.internal.IdempotencyPattern;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import io.ge.redis.idempotency.spi.ResultCodecFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.Advisor;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
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
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Idempotency keys. After the transactions, so that the advice that notes which calls
 * have reached their method is inside theirs.
 */
@AutoConfiguration(after = GeRedisAutoConfiguration.class,
		afterName = "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration")
@ConditionalOnBean(name = "geRedisGuardVerifier")
@ConditionalOnBooleanProperty(name = "ge.redis.idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public final class IdempotencyAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static IdempotencyPattern geRedisIdempotencyPattern(ObjectProvider<IdempotencyProperties> properties,
			ObjectProvider<GeRedisProperties> common, AttributeReader attributes, ExpressionCompiler expressions,
			GuardEvents events, ObjectProvider<IdempotencyKeySource> keySources,
			ObjectProvider<ResultCodecFactory> codecs, ObjectProvider<PrincipalProvider> principals,
			ObjectProvider<RecordDatabase> database, ObjectProvider<JsonMapper> mapper, GuardedCalls calls,
			BeanFactory beans) {
		IdempotencyPattern.Extensions extensions = new IdempotencyPattern.Extensions(
				() -> keySources.orderedStream().toList(), () -> codecs.orderedStream().toList(),
				() -> principals.orderedStream().toList(), () -> database(database));
		return new IdempotencyPattern(properties::getObject, attributes, expressions, extensions,
				() -> mapper.getIfAvailable(JsonMapper::shared), () -> common.getObject().verifyRoundTrip(),
				new PatternBackend("idempotency", beans), events, calls);
	}

	private static @Nullable DataSource database(ObjectProvider<RecordDatabase> provider) {
		RecordDatabase database = provider.getIfAvailable();
		return (database != null) ? database.get() : null;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisIdempotencyAdvisor(ObjectProvider<IdempotencyPattern> pattern, BeanFactory beans) {
		return new PatternBackend("idempotency", beans).advisor(AdviceOrder.IDEMPOTENT,
				(order) -> pattern.getObject().advisor(order), List.of(Idempotent.class));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Advisor geRedisIdempotencyReachedAdvisor() {
		return IdempotencyPattern.reachedAdvisor();
	}

	/**
	 * Lazy, so that it needs no Redis unless the application uses it.
	 */
	@Bean
	@Lazy
	@ConditionalOnMissingBean
	Idempotency geRedisIdempotency(IdempotencyPattern pattern) {
		return pattern.idempotency();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JdbcTemplate.class)
	static class Jdbc {

		@Bean
		static RecordDatabase geRedisIdempotencyRecordDatabase(BeanFactory beans,
				ObjectProvider<PlatformTransactionManager> managers, ObjectProvider<IdempotencyProperties> properties) {
			return new RecordDatabase(beans, managers, properties);
		}

	}

	/**
	 * Finds the database of the transactions in which effects are: from the named
	 * transaction manager, or from the only or primary one.
	 */
	static final class RecordDatabase implements Supplier<@Nullable DataSource> {

		private static final String DATA_SOURCE = "dataSource";

		private final BeanFactory beans;

		private final ObjectProvider<PlatformTransactionManager> managers;

		private final ObjectProvider<IdempotencyProperties> properties;

		public RecordDatabase(BeanFactory beans, ObjectProvider<PlatformTransactionManager> managers,
				ObjectProvider<IdempotencyProperties> properties) {
			this.beans = beans;
			this.managers = managers;
			this.properties = properties;
		}

		@Override
		public @Nullable DataSource get() {
			String name = this.properties.getObject().transactionManager();
			if (name == null) {
				PlatformTransactionManager manager = this.managers.getIfUnique();
				return (manager != null) ? dataSource(manager) : null;
			}
			DataSource found = dataSource(named(name));
			if (found == null) {
				throw new GuardConfigurationException("ge.redis.idempotency.transaction-manager",
						"the transaction manager '" + name + "' has no DataSource.",
						"Name one that has, such as a JdbcTransactionManager or a JpaTransactionManager.");
			}
			return found;
		}

		private PlatformTransactionManager named(String name) {
			try {
				return this.beans.getBean(name, PlatformTransactionManager.class);
			}
			catch (NoSuchBeanDefinitionException ex) {
				throw new GuardConfigurationException("ge.redis.idempotency.transaction-manager",
						"there is no transaction manager '" + name + "'.", "Correct the name of the bean.", ex);
			}
		}

		// Managers for JDBC, JPA and Hibernate have this property, and no type in common
		private static @Nullable DataSource dataSource(PlatformTransactionManager manager) {
			BeanWrapper properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
			return (properties.isReadableProperty(DATA_SOURCE)
					&& properties.getPropertyValue(DATA_SOURCE) instanceof DataSource dataSource) ? dataSource : null;
		}

	}

}
