// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.security.Principal;
import java.util.List;

import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.request.RequestPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page on keys: its code does what it says.
 */
class KeyExamplesIntegrationTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.rate-limit.trusted-hops=1",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void codeDoesWhatThePageSays() {
		this.runner.run((context) -> {
			MockMvcTester mvc = MockMvcTester.from(context);
			assertThat(mvc.get().uri("/quotes/tea").with(from("anna", "203.0.113.1"))).hasStatusOk();
			assertThat(mvc.get().uri("/quotes/oil").with(from("anna", "203.0.113.2"))).hasStatusOk();
			assertThat(mvc.get().uri("/quotes/oil").with(from("anna", "203.0.113.3")))
				.hasStatus(HttpStatus.TOO_MANY_REQUESTS);
			assertThat(mvc.get().uri("/quotes/oil").with(from("boris", "203.0.113.2"))).hasStatusOk();
			assertThat(mvc.get().uri("/quotes/oil").with(from("carla", "203.0.113.2"))).hasStatusOk();
			assertThat(mvc.get().uri("/quotes/oil").with(from("dora", "203.0.113.2")))
				.hasStatus(HttpStatus.TOO_MANY_REQUESTS);
			assertThat(mvc.get().uri("/quotes/oil").with(from(null, "203.0.113.4"))).hasStatus(HttpStatus.BAD_REQUEST);
			KeyExamples examples = context.getBean(KeyExamples.class);
			KeyExamples.Order order = new KeyExamples.Order("acme", "anna");
			examples.submit(order);
			examples.ship(order);
			assertThat(examples.submitted()).isEqualTo(examples.shipped()).containsExactly(order);
			assertThat(context.getBean(RateLimiter.class)
				.tryAcquire("orders", List.of("acme", "anna"), 0)
				.quotas()
				.get(0)
				.remaining()).isEqualTo(9);
		});
	}

	@Test
	void valueOfARequestIsRefusedOnOtherMethods() {
		this.runner.withBean(Desk.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("Desk.serve()")
				.hasMessageContaining("the method is no web handler"));
	}

	private static RequestPostProcessor from(String user, String client) {
		return (request) -> {
			Principal principal = () -> user;
			request.setUserPrincipal((user != null) ? principal : null);
			request.setRemoteAddr("10.0.0.1");
			request.addHeader("X-Forwarded-For", client);
			return request;
		};
	}

	static class Desk {

		@RateLimited(key = "principal", limit = 1)
		public void serve() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(KeyExamples.class)
	static class Application {

		@Bean
		KeyExamples.OrderKeys orderKeys() {
			return new KeyExamples.OrderKeys();
		}

	}

}
