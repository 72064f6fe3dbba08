// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.List;
import java.util.Map;

import io.ge.redis.actuate.GeRedisHealthAutoConfiguration;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GeRedisHealthAutoConfiguration}.
 */
class GeRedisHealthAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				GeRedisDisabledAutoConfiguration.class, BlacklistAutoConfiguration.class,
				GeRedisHealthAutoConfiguration.class))
		.withPropertyValues(SharedRedis.properties());

	@Test
	void reportsTheRedisInUse() {
		this.runner.run((context) -> {
			assertThat(context.getBean(HealthIndicator.class).health()).isEqualTo(Health.unknown().build());
			context.getBean(TokenBlacklist.class);
			Health health = context.getBean(HealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsOnlyKeys("default");
		});
	}

	@Test
	void isNamedLikeTheEndpointInGroupsToo() {
		this.runner
			.withConfiguration(AutoConfigurations.of(HealthContributorRegistryAutoConfiguration.class,
					HealthEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoint.health.group.guards.include=geredis")
			.run((context) -> assertThat(context.getBean(HealthEndpoint.class).healthForPath("guards", "geredis"))
				.isNotNull());
	}

	@Test
	void tellsWhenRevocationsCannotBeFollowed() {
		SharedRedis.standalone()
			.primary()
			.command("SET", "unfollowed:blacklist:{all}:changes1", "of another type", "PX", "60000");
		this.runner.withPropertyValues("ge.redis.key-prefix=unfollowed").run((context) -> {
			assertThat(context.getBean(TokenBlacklist.class).isBlocked("accounts", "a")).isFalse();
			HealthIndicator indicator = context.getBean(HealthIndicator.class);
			Awaitility.await()
				.untilAsserted(() -> assertThat(indicator.health().getDetails().get("default")).asString()
					.contains("every check asks Redis"));
			assertThat(indicator.health().getStatus()).isEqualTo(Status.UNKNOWN);
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void unreadableRevocationIsToldOnceAndPassedOver(CapturedOutput output) {
		RedisEndpoint redis = SharedRedis.standalone().primary();
		String changes = "unreadable:blacklist:{all}:changes1";
		this.runner.withPropertyValues("ge.redis.key-prefix=unreadable").run((context) -> {
			context.getBean(TokenBlacklist.class).isBlocked("accounts", "a");
			Awaitility.await().until(() -> redis.command("EXISTS", changes).equals(1L));
			for (int i = 0; i < 3; i++) {
				Object entry = redis.command("XADD", changes, "*", "c", "not one of ours");
				Awaitility.await()
					.untilAsserted(() -> assertThat(context.getBean(BlacklistPattern.class)
						.control()
						.read(new GuardRequest(List.of(), Map.of()))).extracting("local.position").isEqualTo(entry));
			}
			assertThat(output).containsOnlyOnce("an entry that cannot be read");
			assertThat(context.getBean(HealthIndicator.class).health().getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	void canBeSwitchedOff() {
		for (String off : new String[] { "management.health.geredis.enabled=false",
				"management.health.defaults.enabled=false", "ge.redis.enabled=false" }) {
			this.runner.withPropertyValues(off)
				.run((context) -> assertThat(context).doesNotHaveBean("geredisHealthIndicator"));
		}
	}

	@Test
	void applicationsOwnIndicatorWins() {
		HealthIndicator own = () -> Health.up().build();
		this.runner.withBean("geredisHealthIndicator", HealthIndicator.class, () -> own)
			.run((context) -> assertThat(context).getBean("geredisHealthIndicator").isSameAs(own));
	}

	@Test
	void needsBootsHealthModule() {
		this.runner.withClassLoader(new FilteredClassLoader(ConditionalOnEnabledHealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("geredisHealthIndicator"));
	}

}
