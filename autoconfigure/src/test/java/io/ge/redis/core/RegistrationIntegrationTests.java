// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core;

import java.util.List;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.ScriptExecutor;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.TestBackend;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Registration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class RegistrationIntegrationTests {

	@Test
	void applicationsThatShareAPrefixAreBothWarnedOnce(CapturedOutput output) {
		try (StandaloneRedis redis = RedisServers.standalone(); TestBackend backend = TestBackend.on(redis)) {
			RedisKey key = backend.get().keys("registration").entity(KeyPart.of("applications"));
			ScriptExecutor scripts = new ScriptExecutor(backend.get().connection(), (script, nanos, failure) -> {
			});
			Registration orders = new Registration(scripts, key, "ge", "orders");
			Registration billing = new Registration(scripts, key, "ge", "billing\n{1}");
			orders.renew().join();
			new Registration(scripts, key, "ge", "orders").renew().join();
			assertThat(output).doesNotContain("shares the key prefix");
			billing.renew().join();
			assertThat(output).containsOnlyOnce("shares the key prefix")
				.contains("'billing%0A%7B1%7D' shares the key prefix 'ge' and the Redis database with 'orders'",
						"ge.redis.key-prefix");
			for (int i = 0; i < 3; i++) {
				orders.renew().join();
				billing.renew().join();
			}
			assertThat(output.getOut().split("shares the key prefix")).hasSize(3);
			assertThat(output).contains("'orders' shares");
			assertThat((Long) redis.primary().command("PTTL", key.toString())).isBetween(1L, 90_000L);
			redis.primary().command("ZADD", key.toString(), "0", "billing\n{1}");
			orders.renew().join();
			assertThat(redis.primary().command("ZCARD", key.toString())).as("without the one not seen").isEqualTo(1L);
		}
	}

	@Test
	void applicationWithANameIsRegisteredWithItsFirstUse() {
		StandaloneRedis redis = SharedRedis.standalone();
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class))
			.withPropertyValues(SharedRedis.properties());
		runner.withPropertyValues("ge.redis.key-prefix=registered", "spring.application.name=orders").run((context) -> {
			assertThat(keys(redis, "registered")).isEmpty();
			context.getBean(RedisBackends.class).get(null);
			String key = "registered:core:{applications}";
			Awaitility.await().until(() -> keys(redis, "registered").equals(List.of(key)));
			assertThat(redis.primary().command("ZRANGE", key, "0", "-1")).isEqualTo(List.of("orders"));
		});
		runner.withPropertyValues("ge.redis.key-prefix=nameless").run((context) -> {
			context.getBean(RedisBackends.class).get(null);
			assertThat(keys(redis, "nameless")).isEmpty();
		});
	}

	private static List<?> keys(StandaloneRedis redis, String prefix) {
		return (List<?>) redis.primary().command("KEYS", prefix + ":*");
	}

}
