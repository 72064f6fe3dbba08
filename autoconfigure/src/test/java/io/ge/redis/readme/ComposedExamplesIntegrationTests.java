// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.readme.ComposedExamples.Partner;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The code of the pages on the order of guards and on observability does what the pages
 * say.
 */
class ComposedExamplesIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				RateLimitAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withBean(ComposedExamples.class)
		.withBean(ObservabilityExamples.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s", "ge.redis.rate-limit.limits.partner-api.window=1h");

	@Test
	void refusedCallIsNotRepeatedAndPublishedOnce() {
		SharedRedis.standalone().flushAll();
		this.runner.withBean(Partner.class, () -> (question) -> "yes").run((context) -> {
			ComposedExamples examples = context.getBean(ComposedExamples.class);
			for (int i = 0; i < 5; i++) {
				assertThat(examples.ask("more?")).isEqualTo("yes");
			}
			assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(() -> examples.ask("more?"));
			assertThat(context.getBean(ObservabilityExamples.class).alerts()).containsExactly("partner-api");
		});
	}

	@Test
	void failedCallIsRepeated() {
		SharedRedis.standalone().flushAll();
		AtomicInteger calls = new AtomicInteger();
		this.runner.withBean(Partner.class, () -> (question) -> {
			if (calls.incrementAndGet() == 1) {
				throw new IllegalStateException("busy");
			}
			return "yes";
		}).run((context) -> assertThat(context.getBean(ComposedExamples.class).ask("more?")).isEqualTo("yes"));
		assertThat(calls).hasValue(2);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Application {

	}

}
