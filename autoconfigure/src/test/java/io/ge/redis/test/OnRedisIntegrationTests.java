// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.time.Duration;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OnRedis} on every {@link RedisTarget}.
 */
class OnRedisIntegrationTests {

	@Nested
	@OnRedis(RedisTarget.STANDALONE)
	class OnStandalone extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.SENTINEL)
	class OnSentinel extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.CLUSTER)
	class OnCluster extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_6_2)
	class OnRedis62 extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_7_4)
	class OnRedis74 extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.REDIS_8)
	class OnRedis8 extends Contract {

	}

	@Nested
	@Wide
	@OnRedis(RedisTarget.VALKEY_8)
	class OnValkey8 extends Contract {

	}

	abstract static class Contract {

		@Test
		void factoryReachesTheServers(RedisFixture redis) throws Exception {
			RedisConnectionFactory factory = redis.connectionFactory();
			setOnlyKey(redis, new StringRedisTemplate(factory));
			((DisposableBean) factory).destroy();
		}

		@Test
		void propertiesLeadApplicationToTheServers(RedisFixture redis) {
			new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
				.withPropertyValues(redis.properties())
				.run((context) -> setOnlyKey(redis, context.getBean(StringRedisTemplate.class)));
		}

		/**
		 * Each test must find the servers empty, whichever runs first.
		 */
		private static void setOnlyKey(RedisFixture redis, StringRedisTemplate template) {
			assertThat(template.opsForValue().setIfAbsent("key", "value")).isTrue();
			assertThat(redis.keysWithoutTtl()).containsExactly("key");
			template.expire("key", Duration.ofMinutes(1));
			assertThat(redis.keysWithoutTtl()).isEmpty();
		}

	}

}
