// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.autoconfigure.application.AdviceOrder;
import io.ge.redis.autoconfigure.application.PatternBackend;
import io.ge.redis.autoconfigure.application.RecordDatabase;
import io.ge.redis.core.RedisBackends;
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
import org.springframework.beans.factory.BeanFactory;
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
			ObjectProvider<RedisBackends> backends, GuardEvents events, ObjectProvider<IdempotencyKeySource> keySources,
			ObjectProvider<ResultCodecFactory> codecs, ObjectProvider<PrincipalProvider> principals,
			ObjectProvider<RecordDatabase> database, ObjectProvider<JsonMapper> mapper, GuardedCalls calls,
			Environment environment) {
		IdempotencyPattern.Extensions extensions = new IdempotencyPattern.Extensions(
				() -> keySources.orderedStream().toList(), () -> codecs.orderedStream().toList(),
				() -> principals.orderedStream().toList(), () -> database(database));
		return new IdempotencyPattern(properties::getObject, attributes, expressions, extensions,
				() -> mapper.getIfAvailable(JsonMapper::shared), () -> common.getObject().verifyRoundTrip(),
				new PatternBackend("idempotency", backends, environment), events, calls);
	}

	private static @Nullable DataSource database(ObjectProvider<RecordDatabase> provider) {
		RecordDatabase database = provider.getIfAvailable();
		return (database != null) ? database.get() : null;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GuardAdvisor geRedisIdempotencyAdvisor(ObjectProvider<IdempotencyPattern> pattern,
			ObjectProvider<RedisBackends> backends, Environment environment) {
		int order = AdviceOrder.IDEMPOTENT.in(environment);
		return GuardAdvisor.lazily(order, () -> pattern.getObject().advisor(order),
				new PatternBackend("idempotency", backends, environment)::get, List.of(Idempotent.class));
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

}
