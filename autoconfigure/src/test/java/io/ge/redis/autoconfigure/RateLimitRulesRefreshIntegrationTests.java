// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rules follow a refreshed environment, as limits do.
 */
@ExtendWith(OutputCaptureExtension.class)
class RateLimitRulesRefreshIntegrationTests {

	private static final String RULES = "ge.redis.rate-limit.rules";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class, GeRedisAutoConfiguration.class,
				RateLimitAutoConfiguration.class, GeRedisWebAutoConfiguration.class,
				RateLimitWebAutoConfiguration.class))
		.withBean(Desk.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues(RULES + "[0].name=api", RULES + "[0].path=/one", RULES + "[0].limit=2",
				RULES + "[0].key=client-address");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void limitOfRuleIsTheNewOneAndWhatWasUsedStaysCounted() {
		this.runner.run((context) -> {
			assertThat(get(context, "/one")).hasHeader("RateLimit", "\"api\";r=1;t=60");
			refresh(context, RULES + "[0].limit", "4");
			assertThat(get(context, "/one")).hasHeader("RateLimit-Policy", "\"api\";q=4;w=60");
			assertThat(remaining(get(context, "/one"))).isEqualTo(1);
			assertThat(get(context, "/one")).hasStatusOk();
			assertThat(get(context, "/one")).hasStatus(HttpStatus.TOO_MANY_REQUESTS);
			// Remembered refusals are of the limit as it was
			refresh(context, RULES + "[0].limit", "5");
			assertThat(get(context, "/one")).hasStatusOk();
		});
	}

	@Test
	@Wide
	void pathMethodAndKeyAreTheNewOnes() {
		this.runner.run((context) -> {
			refresh(context, RULES + "[0].path", "/two");
			assertThat(get(context, "/one")).hasStatusOk().doesNotContainHeader("RateLimit");
			assertThat(get(context, "/two")).hasStatusOk().containsHeader("RateLimit");
			refresh(context, RULES + "[0].methods", "POST");
			assertThat(get(context, "/one")).hasStatusOk().doesNotContainHeader("RateLimit");
			refresh(context, RULES + "[0].key", "header:X-Api-Key");
			assertThat(get(context, "/one")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	void rulesCanBeAddedAndTakenAway() {
		this.runner.run((context) -> {
			refresh(context, RULES + "[0].name", "api", RULES + "[0].path", "/one", RULES + "[0].limit", "2",
					RULES + "[1].name", "both", RULES + "[1].path", "/**", RULES + "[1].limit", "1",
					RULES + "[1].phase", "after-authentication");
			assertThat(get(context, "/two")).hasStatusOk().containsHeader("RateLimit");
			assertThat(get(context, "/two")).hasStatus(HttpStatus.TOO_MANY_REQUESTS);
			// Lists of the environment are replaced as a whole, so this takes the first
			// one
			// away
			refresh(context, RULES + "[0].name", "other", RULES + "[0].path", "/other", RULES + "[0].limit", "1");
			assertThat(get(context, "/one")).hasStatusOk().doesNotContainHeader("RateLimit");
			assertThat(get(context, "/two")).hasStatusOk().doesNotContainHeader("RateLimit");
		});
	}

	@Test
	@Wide
	void limitsThatRulesNameAreTheNewOnes() {
		this.runner.withPropertyValues("ge.redis.rate-limit.limits.quota.limit=1").run((context) -> {
			refresh(context, RULES + "[0].path", "/one", RULES + "[0].limits", "quota", RULES + "[0].key",
					"client-address");
			assertThat(get(context, "/one")).hasHeader("RateLimit-Policy", "\"quota\";q=1;w=60");
			refresh(context, RULES + "[0].path", "/one", RULES + "[0].limits", "quota,tasks", RULES + "[0].key",
					"client-address", "ge.redis.rate-limit.limits.quota.limit", "7");
			assertThat(get(context, "/one").getResponse().getHeader("RateLimit-Policy")).contains("\"quota\";q=7;w=60",
					"\"tasks\";q=9;w=60");
		});
	}

	@Test
	@Wide
	void trustedHopsAreTheNewOnes() {
		this.runner.run((context) -> {
			assertThat(remaining(get(context, "/one", "X-Forwarded-For", "203.0.113.1"))).isEqualTo(1);
			assertThat(remaining(get(context, "/one", "X-Forwarded-For", "203.0.113.2"))).isZero();
			refresh(context, "ge.redis.rate-limit.trusted-hops", "1");
			assertThat(remaining(get(context, "/one", "X-Forwarded-For", "203.0.113.1"))).isEqualTo(1);
			assertThat(remaining(get(context, "/one", "X-Forwarded-For", "203.0.113.2"))).isEqualTo(1);
		});
	}

	@Test
	void mistakesAreLoggedAndChangeNothing(CapturedOutput output) {
		String[][] mistakes = { { "[0].path", "/{one", "[0].path[0]: " },
				{ "[0].methods", "FETCH", "[0].methods[0]: " }, { "[0].key", "nobody", "[0].key: " },
				{ "[0].limit", "0", "[0]: limit must be above zero" },
				{ "[0].limits", "unknown", "[0].limits[0]: there is no limit 'unknown'" },
				{ "[0].cost", "3", "[0]: cost" }, { "[0].cost", "-1", "[0].cost: " },
				{ "[0].cost", "few", "[0].cost' to long" } };
		this.runner.run((context) -> {
			for (String[] mistake : mistakes) {
				assertThat(output).doesNotContain(RULES + mistake[2]);
				refresh(context, RULES + mistake[0], mistake[1], "ge.redis.rate-limit.limits.tasks.limit", "1");
				assertThat(output).contains("Rate limits stay as they were. ").contains(RULES + mistake[2]);
			}
			refresh(context, "ge.redis.rate-limit.trusted-hops", "few");
			assertThat(output).contains("ge.redis.rate-limit.trusted-hops");
			assertThat(get(context, "/one")).hasHeader("RateLimit-Policy", "\"api\";q=2;w=60");
			assertThat(get(context, "/guarded")).hasHeader("RateLimit-Policy", "\"tasks\";q=9;w=60");
		});
	}

	private static void refresh(WebApplicationContext context, String... pairs) throws ReflectiveOperationException {
		Map<String, Object> properties = new LinkedHashMap<>();
		for (int i = 0; i < pairs.length; i += 2) {
			properties.put(pairs[i], pairs[i + 1]);
		}
		if (pairs[0].startsWith(RULES)) {
			// A list of one source stands for the whole of it
			properties.putIfAbsent(RULES + "[0].name", "api");
			properties.putIfAbsent(RULES + "[0].path", "/one");
			properties.putIfAbsent(RULES + "[0].key", "client-address");
			if (!properties.containsKey(RULES + "[0].limits")) {
				properties.putIfAbsent(RULES + "[0].limit", "2");
			}
		}
		RateLimitRefreshIntegrationTests.refresh((ConfigurableApplicationContext) context, properties);
	}

	private static int remaining(MvcTestResult result) {
		String field = result.getResponse().getHeader("RateLimit");
		assertThat(field).startsWith("\"api\";r=");
		return Integer.parseInt(field.substring("\"api\";r=".length(), field.indexOf(";t=")));
	}

	private static MvcTestResult get(WebApplicationContext context, String path, String... header) {
		Filter[] filters = context.getBeansOfType(FilterRegistrationBean.class)
			.values()
			.stream()
			.map(FilterRegistrationBean::getFilter)
			.toArray(Filter[]::new);
		MockMvcTester mvc = MockMvcTester.from(context, (builder) -> builder.addFilters(filters).build());
		return ((header.length > 0) ? mvc.get().uri(path).header(header[0], header[1]) : mvc.get().uri(path))
			.exchange();
	}

	@RestController
	static class Desk {

		@GetMapping({ "/one", "/two" })
		public String free() {
			return "done";
		}

		@RateLimited(name = "tasks", limit = 9, key = "'all'")
		@GetMapping("/guarded")
		public String guarded() {
			return "done";
		}

	}

}
