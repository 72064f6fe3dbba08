// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.util.Map;
import java.util.stream.Collectors;

import io.ge.redis.ConfigurationMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for {@link UnknownProperties}.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			ge.redis.rate-limits.limits.feed.limit  | Did you mean ge.redis.rate-limit.limits.feed.limit?
			ge.redis.rate-limit.limits.feed.windw   | Did you mean ge.redis.rate-limit.limits.feed.window?
			ge.redis.rate-limit.limits.feed.lease   | Known below ge.redis.rate-limit.limits.feed are
			ge.redis.rate-limit.rules[0].pth        | Did you mean ge.redis.rate-limit.rules[0].path?
			ge.redis.rate-limit.limits.a.feed.limit | Did you mean ge.redis.rate-limit.limits[a.feed].limit?
			ge.redis.cache.caches.a.near.max-entry  | Did you mean ge.redis.cache.caches.a.near.max-entries?
			ge.redis.cache.write-behnd.linger       | Did you mean ge.redis.cache.write-behind.linger?
			ge.redis.lock.enable                    | Did you mean ge.redis.lock.enabled?
			ge.redis.key-prefx                      | Did you mean ge.redis.key-prefix?
			ge.redis.outage.pause                   | Known below ge.redis.outage are
			ge.redis.cache.consistency              | Known below ge.redis.cache are
			ge.redis.lock.enabled.please            | ge.redis.lock.enabled has no further parts
			ge-redis.lock.enabled                   | Did you mean ge.redis.lock.enabled?
			geredis.lock.enabled                    | Did you mean ge.redis.lock.enabled?
			""")
	void namesWhatWasProbablyMeant(String name, String hint) {
		assertThat(find(Map.of(name, "x"))).hasSize(1)
			.hasEntrySatisfying(name, (text) -> assertThat(text).contains(hint));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ge.redis.rate-limit.limits[a.feed].limit", "ge.redis.rateLimit.limits.feed.waitTime",
			"ge.redis.stream.definitions.a.variables.team[0]", "ge.redis.stream.definitions.a.groups.b.backoff.initial",
			"ge.redis.rate-limit.limits.login.limits[1].window", "management.endpoint.geredis.access", "ge.test.redis",
			"ge.redis" })
	void isSilentOnWhatIsRead(String name) {
		assertThat(find(Map.of(name, "x"))).isEmpty();
	}

	@Test
	void readsAllThatTheMetadataDescribes() throws IOException {
		Map<String, Object> all = ConfigurationMetadata.fromClasspath()
			.properties()
			.stream()
			.map(ConfigurationMetadata.Property::name)
			.collect(Collectors.toMap((name) -> name, (name) -> "x"));
		assertThat(all).containsKey("ge.redis.key-prefix");
		assertThat(find(all)).isEmpty();
	}

	@Test
	void variablesOfKubernetesAreNoProperties() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
							Map.of("GE_REDIS_PORT_6379_TCP", "tcp://10.0.0.1:6379", "GE_REDIS_SERVICE_HOST", "10.0.0.1",
									"GE_REDIS_LOCK_ENABLD", "true", "GE_REDIS_RATELIMIT_ENABLED", "true",
									"GE_REDIS_RATE_LIMIT_LIMITS_FEED_WAIT_TIME", "1s")));
		assertThat(find(environment))
			.containsOnly(entry("ge.redis.lock.enabld", " Did you mean ge.redis.lock.enabled?"));
	}

	@Test
	void eachIsOneWarningAtStartup(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(GeRedisDisabledAutoConfiguration.class))
			.withPropertyValues("ge.redis.enabled=false", "ge.redis.lock.locks.a.wait-tme=1s")
			.run((context) -> assertThat(output).containsOnlyOnce(
					"Nothing reads the property ge.redis.lock.locks.a.wait-tme. Did you mean ge.redis.lock.locks.a.wait-time?"));
	}

	@Test
	void isSilentOnPropertiesOfTheApplication(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(GeRedisDisabledAutoConfiguration.class))
			.withUserConfiguration(Shop.class)
			.withPropertyValues("ge.redis.enabled=false", "ge.redis.shop.region=eu", "ge.redis.shp.region=eu",
					"ge.redis.*=x")
			.run((context) -> assertThat(output).contains("Nothing reads the property ge.redis.shp.region")
				.doesNotContain("ge.redis.shop.region"));
	}

	private static Map<String, String> find(Map<String, Object> properties) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
		return find(environment);
	}

	private static Map<String, String> find(StandardEnvironment environment) {
		ConfigurationPropertySources.attach(environment);
		return new UnknownProperties(environment, new StaticListableBeanFactory()).find();
	}

	@EnableConfigurationProperties(ShopProperties.class)
	static class Shop {

	}

	@ConfigurationProperties("ge.redis.shop")
	record ShopProperties(String region) {
	}

}
