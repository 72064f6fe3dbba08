// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.stream.Stream;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.Wide;
import io.ge.redis.web.limit.RequestRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterProperties;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.servlet.DispatcherServlet;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is checked of rules before the first request. Redis is not needed for it.
 */
@ExtendWith(OutputCaptureExtension.class)
class RequestRulesStartupTests {

	private static final AutoConfigurations GUARDS = AutoConfigurations.of(AopAutoConfiguration.class,
			DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class,
			GeRedisWebAutoConfiguration.class, RateLimitWebAutoConfiguration.class);

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner().withConfiguration(GUARDS)
		.withConfiguration(
				AutoConfigurations.of(DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1", "ge.redis.rate-limit.rules[0].name=good",
				"ge.redis.rate-limit.rules[0].path=/good/**", "ge.redis.rate-limit.rules[0].methods=get,POST",
				"ge.redis.rate-limit.rules[0].key=client-address", "ge.redis.rate-limit.rules[0].limit=10");

	// @formatter:off
	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"path=/orders/{id                     | .path[0]    | does not parse",
			"path=/**/{*rest}/more                | .path[0]    | does not parse",
			"path=/a,/b/{x                        | .path[1]    | does not parse",
			"path=                                | .path       | is missing",
			"methods=GET,FETCH                    | .methods[1] | \"FETCH\" is no HTTP method",
			"key=client-adress                    | .key        | \"client-adress\" names no key",
			"key=ip                               | .key        | \"ip\" names no key",
			"key=header:                          | .key        | is no name of a header",
			"key=header:X Api Key                 | .key        | is no name of a header",
			"key=#request.                        | .key        | does not parse",
			"key=#req.method                      | .key        | uses #req",
			"key=#request + T(java.lang.Runtime)  | .key        | uses T(java.lang.Runtime)",
			"key=principal;phase=before-authentication | .phase | not known before authentication",
			"limit=                               | ``          | it has no limit anywhere",
			"limit=0                              | ``          | limit must be above zero",
			"limit=-5                             | ``          | limit must be above zero",
			"window=0s                            | ``          | window must be",
			"burst=20                             | ``          | burst has a meaning for TOKEN_BUCKET only",
			"cost=11                              | ``          | cost is 11 and can never pass",
			"cost=-1                              | .cost       | it is -1",
			"limit=;window=;limits=known;cost=2     | .limits[0]  | cost is 2 and can never pass",
			"limits=known                         | ``          | names other limits as well",
			"limit=;window=;limits=known,unknown  | .limits[1]  | there is no limit 'unknown'",
			"name=good                            | ``          | the name 'good' is used with other settings on ge.redis.rate-limit.rules[0]",
			"name=annotated                       | ``          | the name 'annotated' is used with other settings" })
	// @formatter:on
	@Wide
	void refusesMistakesWithThePropertyName(String changes, String place, String problem) {
		Stream<String> rule = Stream.concat(
				Stream.of("name=bad", "path=/bad", "key=client-address", "limit=10", "window=1h"),
				Stream.of(changes.split(";")));
		this.runner.withPropertyValues("ge.redis.rate-limit.limits.known.limit=1")
			.withBean(Annotated.class)
			.withPropertyValues(rule.map((part) -> "ge.redis.rate-limit.rules[1]." + part).toArray(String[]::new))
			.run((context) -> {
				assertThat(context).hasFailed();
				FailureAnalysis analysis = new GuardConfigurationFailureAnalyzer().analyze(context.getStartupFailure());
				assertThat(analysis.getDescription()).startsWith("ge.redis.rate-limit.rules[1]" + place + ": ")
					.contains(problem);
				assertThat(analysis.getAction()).isNotBlank();
			});
	}

	@Test
	void refusesHopsOfAddressesThatTheServerReplacesItself() {
		this.runner.withPropertyValues("ge.redis.rate-limit.trusted-hops=1", "server.forward-headers-strategy=native")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(GuardConfigurationException.class)
				.hasMessageStartingWith("ge.redis.rate-limit.trusted-hops: "));
	}

	@Test
	void warnsOfAddressesThatEveryClientMayWrite(CapturedOutput output) {
		this.runner
			.withPropertyValues("server.forward-headers-strategy=framework", "ge.redis.rate-limit.rules[0].path=/free",
					"ge.redis.rate-limit.rules[0].limit=1", "ge.redis.rate-limit.rules[0].key=client-address")
			.run((context) -> assertThat(output).containsOnlyOnce("server.forward-headers-strategy=framework"));
	}

	@ParameterizedTest
	@CsvSource({ "headers, draft-11", "rules[0].phase, during", "rules[0].on-empty-key, ignore",
			"rules[0].algorithm, leaky-bucket" })
	void refusesUnknownConstants(String property, String value) {
		this.runner.withPropertyValues("ge.redis.rate-limit." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("Failed to bind properties under 'ge.redis.rate-limit." + property)
				.hasStackTraceContaining("[" + value + "]"));
	}

	@Test
	void filtersStandAroundThatOfSpringSecurity() {
		assertOrders(this.runner, SecurityFilterProperties.DEFAULT_FILTER_ORDER);
		assertOrders(this.runner.withPropertyValues("spring.security.filter.order=7"), 7);
	}

	private static void assertOrders(WebApplicationContextRunner runner, int security) {
		runner.run((context) -> {
			assertThat(order(context.getBean("geRedisRateLimitFilterBeforeAuthentication"))).isLessThan(security)
				.isGreaterThan(order(context.getBean("geRedisRefusalFilter")));
			assertThat(order(context.getBean("geRedisRateLimitFilterAfterAuthentication"))).isGreaterThan(security);
		});
	}

	private static int order(Object registration) {
		return ((FilterRegistrationBean<?>) registration).getOrder();
	}

	@Test
	void nothingIsFilteredIfRateLimitsAreOffOrThereIsNoMvc() {
		this.runner.withPropertyValues("ge.redis.rate-limit.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RequestRules.class));
		this.runner.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
			.run((context) -> assertThat(context).doesNotHaveBean(RequestRules.class));
		new ApplicationContextRunner().withConfiguration(GUARDS)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(RequestRules.class)
				.doesNotHaveBean("geRedisRateLimitFilterBeforeAuthentication"));
	}

	static class Annotated {

		@RateLimited(name = "annotated", limit = 3)
		public void call() {
		}

	}

}
