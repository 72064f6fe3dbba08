// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import io.ge.redis.autoconfigure.CacheAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisWebAutoConfiguration;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.cache.WriteBehindFullException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheProblems}, with Redis down.
 */
class CacheProblemsTests {

	@ParameterizedTest
	@ValueSource(strings = { "/late", "/full" })
	void whoHasWaitedTooLongOrIsOneTooManyIsToldToComeAgain(String path) {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
					DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
					GeRedisAutoConfiguration.class, GeRedisWebAutoConfiguration.class, CacheAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=1", "ge.redis.cache.ttl=10m")
			.withBean(Desk.class)
			.run((context) -> {
				MvcTestResult result = MockMvcTester.from(context).get().uri(path).exchange();
				assertThat(result).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
					.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
					.hasHeader("Retry-After", "1");
				assertThat(result).bodyJson()
					.extractingPath("$.type")
					.asString()
					.endsWith("#temporary-reduced-capacity");
			});
	}

	@RestController
	static class Desk {

		@GetMapping("/late")
		String late() {
			throw new CacheLoadTimeoutException("prices");
		}

		@GetMapping("/full")
		String full() {
			throw new WriteBehindFullException("prices", 100);
		}

	}

}
