// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rate limits over HTTP.
 */
class RateLimitWebIntegrationTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
		.withUserConfiguration(Guards.class)
		.withBean(Desk.class)
		.withBean(Lateness.class)
		.withPropertyValues(SharedRedis.properties());

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	@Wide
	void admittedCallTellsWhereItsLimitsStand() {
		this.runner.run((context) -> {
			MvcTestResult result = mvc(context).get().uri("/tasks/anna").exchange();
			assertThat(result).hasStatusOk()
				.hasHeader("RateLimit-Policy", "\"tasks\";q=2;w=60, \"daily\";q=100;w=86400")
				.hasHeader("RateLimit", "\"tasks\";r=1;t=60, \"daily\";r=99;t=86400");
		});
	}

	@Test
	@Wide
	void refusedCallIsProblemWithTimeToWait() {
		this.runner.run((context) -> {
			MvcTestResult result = exhaust(context);
			assertThat(result).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
			assertThat(Integer.parseInt(result.getResponse().getHeader("Retry-After"))).isBetween(55, 60);
			assertThat(result.getResponse().getHeader("RateLimit")).startsWith("\"tasks\";r=0;t=");
			assertThat(result.getResponse().getHeaders("RateLimit")).hasSize(1);
			assertThat(result).bodyJson()
				.extractingPath("$.type")
				.isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
			assertThat(result).bodyJson().extractingPath("$['violated-policies']").asArray().containsExactly("tasks");
			assertThat(result).bodyJson().extractingPath("$.status").isEqualTo(429);
			assertThat(result).bodyJson().extractingPath("$.instance").isEqualTo("/tasks/anna");
		});
	}

	@Test
	@Wide
	void survivesCatchAllHandler() {
		this.runner.withBean(WebContract.CatchAll.class)
			.run((context) -> assertThat(exhaust(context)).hasStatus(HttpStatus.TOO_MANY_REQUESTS));
	}

	@Test
	@Wide
	void yieldsToHandlerOfOurType() {
		this.runner.withBean(OwnHandler.class)
			.run((context) -> assertThat(exhaust(context)).hasStatus(HttpStatus.I_AM_A_TEAPOT)
				.hasBodyTextEqualTo("own"));
	}

	@Test
	@Wide
	void bodyCanBeCustomized() {
		this.runner
			.withBean(ErrorResponse.Interceptor.class,
					() -> (detail, response) -> detail.setProperty("support", "desk@example.org"))
			.run((context) -> assertThat(exhaust(context)).bodyJson()
				.extractingPath("$.support")
				.isEqualTo("desk@example.org"));
	}

	@Test
	@Wide
	void callThatNamesNobodyIsBadRequest() {
		this.runner.run((context) -> {
			for (String uri : new String[] { "/optional", "/optional?agent=" }) {
				MvcTestResult result = mvc(context).get().uri(uri).exchange();
				assertThat(result).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
				assertThat(result).bodyJson().extractingPath("$.type").isEqualTo("urn:ge-redis:problem:key-missing");
			}
			assertThat(mvc(context).get().uri("/optional?agent=anna").exchange()).hasStatusOk();
		});
	}

	@Test
	void callThatCanNeverPassIsBadRequest() {
		this.runner.run((context) -> {
			assertThat(mvc(context).get().uri("/rows?cost=3").exchange()).hasStatusOk();
			assertProblem(mvc(context).get().uri("/rows?cost=4").exchange(), "cost-too-high");
			assertProblem(mvc(context).get().uri("/rows?cost=-1").exchange(), "cost-invalid");
			assertProblem(mvc(context).get().uri("/rows").exchange(), "cost-invalid");
		});
	}

	private static void assertProblem(MvcTestResult result, String type) {
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.type").isEqualTo("urn:ge-redis:problem:" + type);
		assertThat(result).bodyText().doesNotContain("#cost", "Desk");
	}

	@Test
	@Wide
	void outageWithDenyIs503() {
		this.runner.withPropertyValues("spring.data.redis.port=1").run((context) -> {
			MvcTestResult result = mvc(context).get().uri("/strict").exchange();
			assertThat(result).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
				.hasHeader("Retry-After", "1");
			assertThat(result).bodyJson()
				.extractingPath("$.type")
				.isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
		});
	}

	@Test
	void legacyFieldsTellOfTheTightestLimit() {
		this.runner.withPropertyValues("ge.redis.rate-limit.headers=legacy").run((context) -> {
			MvcTestResult admitted = mvc(context).get().uri("/tasks/anna").exchange();
			assertThat(admitted).hasStatusOk()
				.hasHeader("X-RateLimit-Limit", "2")
				.hasHeader("X-RateLimit-Remaining", "1")
				.hasHeader("X-RateLimit-Reset", "60")
				.doesNotContainHeader("RateLimit");
			MvcTestResult refused = exhaust(context);
			assertThat(refused).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
				.containsHeader("Retry-After")
				.hasHeader("X-RateLimit-Remaining", "0")
				.doesNotContainHeader("RateLimit");
		});
	}

	@Test
	@Wide
	void fieldsCanBeLeftOut() {
		this.runner.withPropertyValues("ge.redis.rate-limit.headers=none").run((context) -> {
			assertThat(mvc(context).get().uri("/tasks/anna").exchange()).hasStatusOk()
				.doesNotContainHeader("RateLimit")
				.doesNotContainHeader("RateLimit-Policy")
				.doesNotContainHeader("X-RateLimit-Limit");
			assertThat(exhaust(context)).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
				.containsHeader("Retry-After")
				.doesNotContainHeader("RateLimit");
		});
	}

	@Test
	@Wide
	void committedResponseIsLeftAlone() {
		this.runner.run((context) -> assertThat(mvc(context).get().uri("/late").exchange()).hasStatusOk()
			.doesNotContainHeader("RateLimit"));
	}

	@Test
	@Wide
	void outageWithDenyIs503BeforeAndAfterAuthentication() {
		for (String phase : new String[] { "before-authentication", "after-authentication" }) {
			this.runner.withPropertyValues("spring.data.redis.port=1", "ge.redis.rate-limit.rules[0].name=guarded",
					"ge.redis.rate-limit.rules[0].path=/free", "ge.redis.rate-limit.rules[0].limit=1",
					"ge.redis.rate-limit.rules[0].phase=" + phase, "ge.redis.rate-limit.limits.guarded.on-outage=deny")
				.withBean(WebContract.CatchAll.class)
				.run((context) -> {
					MvcTestResult result = filtered(context).get().uri("/free").exchange();
					assertThat(result).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
						.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
						.hasHeader("Retry-After", "1");
					assertThat(result).bodyJson()
						.extractingPath("$.type")
						.isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
				});
		}
	}

	@Test
	void outageWithAllowOrLocalLetsRequestsThrough() {
		this.runner
			.withPropertyValues("spring.data.redis.port=1", "ge.redis.rate-limit.rules[0].name=open",
					"ge.redis.rate-limit.rules[0].path=/free", "ge.redis.rate-limit.rules[0].limit=1",
					"ge.redis.rate-limit.limits.open.on-outage=allow", "ge.redis.rate-limit.rules[1].name=counted",
					"ge.redis.rate-limit.rules[1].path=/counted", "ge.redis.rate-limit.rules[1].limit=1")
			.run((context) -> {
				MockMvcTester mvc = filtered(context);
				assertThat(mvc.get().uri("/free").exchange()).hasStatusOk().doesNotContainHeader("RateLimit");
				assertThat(mvc.get().uri("/free").exchange()).hasStatusOk();
				assertThat(mvc.get().uri("/counted").exchange()).hasStatusOk();
				assertThat(mvc.get().uri("/counted").exchange()).hasStatus(HttpStatus.TOO_MANY_REQUESTS);
			});
	}

	@Test
	void allRulesOfOneKeyAreOneScriptCall() {
		this.runner
			.withPropertyValues("ge.redis.rate-limit.rules[0].name=first", "ge.redis.rate-limit.rules[0].path=/**",
					"ge.redis.rate-limit.rules[0].key=client-address", "ge.redis.rate-limit.rules[0].limit=100",
					"ge.redis.rate-limit.rules[1].name=second", "ge.redis.rate-limit.rules[1].path=/free",
					"ge.redis.rate-limit.rules[1].key=client-address", "ge.redis.rate-limit.rules[1].limit=100")
			.run((context) -> {
				MockMvcTester mvc = filtered(context);
				mvc.get().uri("/free").exchange();
				SharedRedis.standalone().configResetStat();
				for (int i = 0; i < 5; i++) {
					assertThat(mvc.get().uri("/free").exchange()).hasStatusOk();
				}
				assertThat(SharedRedis.standalone().commandCalls("evalsha")).isEqualTo(5);
			});
	}

	@Test
	void filterYieldsToHandlerOfOurTypeButNotToCatchAll() {
		WebApplicationContextRunner ruled = this.runner.withPropertyValues("ge.redis.rate-limit.rules[0].path=/free",
				"ge.redis.rate-limit.rules[0].limit=1");
		ruled.withBean(OwnHandler.class).withBean(WebContract.CatchAll.class).run((context) -> {
			assertThat(filtered(context).get().uri("/free").exchange()).hasStatusOk();
			assertThat(filtered(context).get().uri("/free").exchange()).hasStatus(HttpStatus.I_AM_A_TEAPOT)
				.hasBodyTextEqualTo("own")
				.containsHeader("RateLimit");
		});
		ruled.withBean(WebContract.CatchAll.class)
			.run((context) -> assertThat(filtered(context).get().uri("/free").exchange())
				.hasStatus(HttpStatus.TOO_MANY_REQUESTS)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON));
	}

	@Test
	void pathThatDoesNotParseIsNoWayAround() {
		this.runner
			.withPropertyValues("ge.redis.rate-limit.rules[0].path=/**", "ge.redis.rate-limit.rules[0].limit=100")
			.run((context) -> assertThat(filtered(context).get().uri(URI.create("/free")).with((request) -> {
				request.setRequestURI("/free/%zz");
				return request;
			}).exchange()).hasStatus(HttpStatus.BAD_REQUEST));
	}

	private static MockMvcTester filtered(WebApplicationContext context) {
		List<FilterRegistrationBean<?>> registrations = new ArrayList<>();
		context.getBeansOfType(FilterRegistrationBean.class).values().forEach(registrations::add);
		registrations.sort(Comparator.comparingInt(FilterRegistrationBean::getOrder));
		return MockMvcTester.from(context,
				(builder) -> builder
					.addFilters(registrations.stream().map(FilterRegistrationBean::getFilter).toArray(Filter[]::new))
					.build());
	}

	private static MvcTestResult exhaust(WebApplicationContext context) {
		MockMvcTester mvc = mvc(context);
		mvc.get().uri("/tasks/anna").exchange();
		mvc.get().uri("/tasks/anna").exchange();
		return mvc.get().uri("/tasks/anna").exchange();
	}

	private static MockMvcTester mvc(WebApplicationContext context) {
		return MockMvcTester.from(context);
	}

	@ImportAutoConfiguration({ io.ge.redis.autoconfigure.GeRedisAutoConfiguration.class,
			io.ge.redis.autoconfigure.RateLimitAutoConfiguration.class,
			io.ge.redis.autoconfigure.GeRedisWebAutoConfiguration.class,
			io.ge.redis.autoconfigure.RateLimitWebAutoConfiguration.class })
	static class Guards {

	}

	@RestController
	static class Desk {

		@RateLimited(name = "tasks", key = "#agent", limit = 2)
		@RateLimited(name = "daily", key = "#agent", limit = 100, window = "1d")
		@GetMapping("/tasks/{agent}")
		public String task(@PathVariable String agent) {
			return agent;
		}

		@RateLimited(name = "optional", key = "#agent", limit = 100)
		@GetMapping("/optional")
		public String optional(@RequestParam(required = false) @Nullable String agent) {
			return "done";
		}

		@RateLimited(name = "rows", limit = 3, cost = "#cost")
		@GetMapping("/rows")
		public String rows(@RequestParam(required = false) @Nullable Integer cost) {
			return "done";
		}

		@RateLimited(name = "strict", limit = 1, onOutage = OutagePolicy.DENY)
		@GetMapping("/strict")
		public String strict() {
			return "done";
		}

		@GetMapping({ "/free", "/counted" })
		public String free() {
			return "done";
		}

	}

	@RestController
	static class Lateness {

		private final RateLimiter limiter;

		Lateness(RateLimiter limiter) {
			this.limiter = limiter;
		}

		@GetMapping("/late")
		public void late(HttpServletResponse response) throws IOException {
			response.flushBuffer();
			assertThat(this.limiter.tryAcquire(List.of(RateLimit.of("late", 1, Duration.ofMinutes(1))), "anna")
				.isAllowed()).isTrue();
		}

	}

	@RestControllerAdvice
	static class OwnHandler {

		@ExceptionHandler(RateLimitExceededException.class)
		@ResponseStatus(HttpStatus.I_AM_A_TEAPOT)
		String own() {
			return "own";
		}

	}

}
