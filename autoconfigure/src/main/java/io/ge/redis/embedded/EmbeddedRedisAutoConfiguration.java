// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import java.util.List;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration for a Redis that starts and stops with the application, for
 * development and tests.
 * <p>
 * It applies only if {@code org.signal:embedded-redis} is on the classpath and nothing
 * else configures which Redis to use: none of {@code spring.data.redis.host},
 * {@code .port}, {@code .url}, {@code .sentinel.*}, {@code .cluster.*} and
 * {@code .masterreplica.*}; no bean of type {@link DataRedisConnectionDetails}, such as
 * of Testcontainers and Docker Compose; and no {@link RedisConnectionFactory}.
 * {@code spring.data.redis.database} is honoured. It does not depend on
 * {@code ge.redis.enabled}, since the application's own beans use it too.
 * <p>
 * An application that is processed ahead of time, as for a native image, has it only if
 * {@code ge.redis.embedded.enabled} was {@code true} then. It refuses another Redis
 * afterwards.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@ConditionalOnClass({ RedisExecProvider.class, DataRedisConnectionDetails.class, RedisConnectionFactory.class })
@ConditionalOnBooleanProperty(name = "ge.redis.embedded.enabled", matchIfMissing = true)
@ConditionalOnMissingBean({ DataRedisConnectionDetails.class, RedisConnectionFactory.class })
@Conditional(EmbeddedRedisAutoConfiguration.OnNoRedisPropertyCondition.class)
@EnableConfigurationProperties({ EmbeddedRedisProperties.class, DataRedisProperties.class })
public final class EmbeddedRedisAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	EmbeddedRedisServer geRedisEmbeddedServer(EmbeddedRedisProperties properties, Environment environment) {
		requireNoOther(environment);
		return EmbeddedRedisServer.start(properties.port());
	}

	@Bean
	DataRedisConnectionDetails geRedisEmbeddedConnectionDetails(EmbeddedRedisServer server,
			DataRedisProperties properties) {
		return new EmbeddedRedisConnectionDetails(server, properties.getDatabase());
	}

	// Ahead of time, the conditions were evaluated before another Redis could be known
	private static void requireNoOther(Environment environment) {
		ConfigurationPropertyName location = OnNoRedisPropertyCondition.findLocation(environment);
		if (location != null) {
			throw new GuardConfigurationException(location.toString(),
					"The application was processed ahead of time to have an embedded Redis, so it would not use this one.",
					"Process it without " + OnNoRedisPropertyCondition.ENABLED + "=true.");
		}
	}

	private record EmbeddedRedisConnectionDetails(EmbeddedRedisServer server,
			int database) implements DataRedisConnectionDetails {

		@Override
		public Standalone getStandalone() {
			return Standalone.of(this.server.getHost(), this.server.getPort(), this.database);
		}

	}

	/**
	 * Matches if no property has the address of Redis. A property without a value counts
	 * as set: a deployment that forgot to fill it must fail. Ahead of time it is unknown
	 * where an application will run, so an embedded server must be enabled explicitly.
	 */
	static final class OnNoRedisPropertyCondition extends SpringBootCondition {

		public static final String ENABLED = "ge.redis.embedded.enabled";

		private static final List<ConfigurationPropertyName> LOCATIONS = List.of(
				ConfigurationPropertyName.of("spring.data.redis.host"),
				ConfigurationPropertyName.of("spring.data.redis.port"),
				ConfigurationPropertyName.of("spring.data.redis.url"),
				ConfigurationPropertyName.of("spring.data.redis.sentinel"),
				ConfigurationPropertyName.of("spring.data.redis.cluster"),
				ConfigurationPropertyName.of("spring.data.redis.masterreplica"));

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConditionMessage.Builder message = ConditionMessage.forCondition("No Redis configured");
			if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)
					&& !context.getEnvironment().getProperty(ENABLED, Boolean.class, false)) {
				return ConditionOutcome.noMatch(message
					.because("where Redis is shows when the application runs, unless " + ENABLED + " is set to true"));
			}
			ConfigurationPropertyName location = findLocation(context.getEnvironment());
			return (location != null) ? ConditionOutcome.noMatch(message.found("property").items(location))
					: ConditionOutcome.match(message.because("no property says where Redis is"));
		}

		public static @Nullable ConfigurationPropertyName findLocation(Environment environment) {
			for (ConfigurationPropertySource source : ConfigurationPropertySources
				.from(((ConfigurableEnvironment) environment).getPropertySources())) {
				for (ConfigurationPropertyName location : LOCATIONS) {
					if (isSet(source, location)) {
						return location;
					}
				}
			}
			return null;
		}

		private static boolean isSet(ConfigurationPropertySource source, ConfigurationPropertyName location) {
			return source.getConfigurationProperty(location) != null
					|| source.containsDescendantOf(location) == ConfigurationPropertyState.PRESENT;
		}

	}

}
