// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.time.Duration;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.actuate.GeRedisMetricsAutoConfiguration;
import io.ge.redis.blacklist.refresh.RefreshToken;
import io.ge.redis.blacklist.refresh.RefreshTokenEvent;
import io.ge.redis.blacklist.refresh.RefreshTokenProperties;
import io.ge.redis.blacklist.refresh.RefreshTokens;
import io.ge.redis.blacklist.refresh.Rotation;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.mock;

/**
 * Refresh tokens in an application, from properties to Redis and meters.
 */
class RefreshTokenAutoConfigurationIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				BlacklistAutoConfiguration.class, RefreshTokenAutoConfiguration.class,
				GeRedisMetricsAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withPropertyValues(SharedRedis.properties());

	@Test
	void replacesTokensAndTellsOfThem() {
		this.runner.withUserConfiguration(Listening.class)
			.withPropertyValues("ge.redis.refresh-tokens.grace=0s", "ge.redis.refresh-tokens.lifetime=1h")
			.run((context) -> {
				RefreshTokens tokens = context.getBean(RefreshTokens.class);
				RefreshToken token = tokens.issue("issuer", "anna");
				assertThat(token.timeToLive()).isEqualTo(Duration.ofHours(1));
				assertThat(tokens.rotate(token.value())).isInstanceOf(Rotation.Rotated.class);
				assertThat(tokens.rotate(token.value())).isInstanceOf(Rotation.Reused.class);
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				assertThat(count(meters, "rotated")).isEqualTo(1);
				assertThat(count(meters, "reused")).isEqualTo(1);
				assertThat(context.getBean(Listening.class).reused).isEqualTo(1);
			});
		assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
	}

	@Test
	void hasDefaultsOfThirtyDaysAndTenSeconds() {
		this.runner.run((context) -> {
			assertThat(context.getBean(RefreshTokenProperties.class))
				.isEqualTo(new RefreshTokenProperties(true, null, null, Duration.ofSeconds(10)));
			assertThat(context.getBean(RefreshTokens.class).issue("issuer", "anna").timeToLive())
				.isEqualTo(Duration.ofDays(30));
		});
	}

	@Test
	void sessionsLastNoLongerThanRevocationsUnlessToldTo() {
		this.runner.withPropertyValues("ge.redis.blacklist.max-token-lifetime=1d")
			.run((context) -> assertThat(context.getBean(RefreshTokens.class).issue("issuer", "anna").timeToLive())
				.isEqualTo(Duration.ofDays(1)));
	}

	@Test
	@Wide
	void backsOffToBeanOfTheApplication() {
		RefreshTokens own = mock(RefreshTokens.class);
		this.runner.withBean(RefreshTokens.class, () -> own)
			.run((context) -> assertThat(context.getBean(RefreshTokens.class)).isSameAs(own));
	}

	@ParameterizedTest
	@ValueSource(strings = { "ge.redis.refresh-tokens.enabled=false", "ge.redis.blacklist.enabled=false",
			"ge.redis.enabled=false" })
	void isThereUnlessDisabled(String property) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RefreshTokens.class));
	}

	@Test
	void sessionsThatOutliveRevocationsFailTheStart() {
		this.runner
			.withPropertyValues("ge.redis.blacklist.max-token-lifetime=1d", "ge.redis.refresh-tokens.lifetime=25h")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageContaining("ge.redis.refresh-tokens.lifetime")
				.hasMessageContaining("ge.redis.blacklist.max-token-lifetime"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lifetime=0s", "lifetime=4000d", "grace=-1s", "grace=6m" })
	@Wide
	void impossibleTimesFailTheStart(String property) {
		this.runner.withPropertyValues("ge.redis.refresh-tokens." + property)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageStartingWith("ge.redis.refresh-tokens." + property.split("=")[0] + " must be between"));
	}

	@Test
	@Wide
	void sessionsMayLiveElsewhere() {
		this.runner.withPropertyValues("ge.redis.refresh-tokens.connection-factory=nowhere")
			.run((context) -> assertThat(context.getBean(RefreshTokens.class)).satisfies((tokens) -> {
				Throwable failure = catchThrowable(() -> tokens.issue("issuer", "anna"));
				assertThat(failure).hasStackTraceContaining("nowhere");
			}));
	}

	private static double count(MeterRegistry meters, String outcome) {
		return meters.get("ge.redis.refresh.rotations").tag("outcome", outcome).counter().count();
	}

	@Configuration(proxyBeanMethods = false)
	static class Listening {

		private int reused;

		@EventListener
		void on(RefreshTokenEvent event) {
			this.reused += (event.outcome() == RefreshTokenEvent.Outcome.REUSED) ? 1 : 0;
		}

	}

}
