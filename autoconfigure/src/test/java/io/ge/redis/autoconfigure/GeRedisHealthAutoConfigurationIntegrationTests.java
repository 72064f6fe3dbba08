/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.actuate.GeRedisHealthIndicator;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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
			Health health = context.getBean(GeRedisHealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsOnlyKeys("default");
		});
	}

	@Test
	void canBeSwitchedOff() {
		for (String off : new String[] { "management.health.geredis.enabled=false",
				"management.health.defaults.enabled=false", "ge.redis.enabled=false" }) {
			this.runner.withPropertyValues(off)
				.run((context) -> assertThat(context).doesNotHaveBean(GeRedisHealthIndicator.class));
		}
	}

	@Test
	void applicationsOwnIndicatorWins() {
		HealthIndicator own = () -> Health.up().build();
		this.runner.withBean("geRedisHealthIndicator", HealthIndicator.class, () -> own)
			.run((context) -> assertThat(context).getBean("geRedisHealthIndicator").isSameAs(own));
	}

	@Test
	void needsBootsHealthModule() {
		this.runner.withClassLoader(new FilteredClassLoader(ConditionalOnEnabledHealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(GeRedisHealthIndicator.class));
	}

}
