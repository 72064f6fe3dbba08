// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.autoconfigure.condition.OnNoRedisPropertyCondition;
import io.ge.redis.embedded.EmbeddedRedisProperties;
import io.ge.redis.embedded.EmbeddedRedisServer;
import redis.embedded.RedisExecProvider;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
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
@Conditional(OnNoRedisPropertyCondition.class)
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

}
