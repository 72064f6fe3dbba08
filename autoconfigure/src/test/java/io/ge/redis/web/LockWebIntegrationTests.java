// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.time.Duration;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.FencingToken;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.lock.LockOptions;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
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
 * Locks over HTTP.
 */
class LockWebIntegrationTests {

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
		.withUserConfiguration(Guards.class)
		.withBean(Desk.class)
		.withPropertyValues(SharedRedis.properties());

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void refusedCallIsConflictWithoutAnEndThatNobodyKnows() {
		this.runner.run((context) -> {
			MvcTestResult result = refused(context);
			assertThat(result).hasStatus(HttpStatus.CONFLICT).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
			assertThat(result).doesNotContainHeader("Retry-After");
			assertThat(result).bodyJson().extractingPath("$.type").isEqualTo("urn:ge-redis:problem:lock-not-acquired");
			assertThat(result).bodyJson().extractingPath("$.status").isEqualTo(409);
			assertThat(result).bodyJson().extractingPath("$.instance").isEqualTo("/run/anna");
		});
	}

	@Test
	void refusedCallIsConflictWithTheEndThatIsKnown() {
		this.runner.run((context) -> {
			context.getBean(DistributedLocks.class)
				.lock("agent", "anna", LockOptions.defaults().atLeastFor(Duration.ofSeconds(30)))
				.close();
			MvcTestResult result = MockMvcTester.from(context).get().uri("/run/anna").exchange();
			assertThat(result).hasStatus(HttpStatus.CONFLICT);
			assertThat(Integer.parseInt(result.getResponse().getHeader("Retry-After"))).isBetween(20, 30);
		});
	}

	@Test
	@Wide
	void statusCanBeLocked() {
		this.runner.withPropertyValues("ge.redis.lock.http-status=423")
			.run((context) -> assertThat(refused(context)).hasStatus(HttpStatus.LOCKED));
	}

	@Test
	@Wide
	void survivesCatchAllHandler() {
		this.runner.withBean(WebContract.CatchAll.class)
			.run((context) -> assertThat(refused(context)).hasStatus(HttpStatus.CONFLICT));
	}

	@Test
	@Wide
	void yieldsToHandlerOfOurType() {
		this.runner.withBean(OwnHandler.class)
			.run((context) -> assertThat(refused(context)).hasStatus(HttpStatus.I_AM_A_TEAPOT));
	}

	@Test
	void tokenComesFromLockAndNeverFromRequest() {
		this.runner.run((context) -> {
			assertThat(token(context, "/run/anna")).isGreaterThan(1_000_000);
			assertThat(token(context, "/run/anna?token=7")).isGreaterThan(1_000_000);
			assertThat(token(context, "/run/anna?token=nonsense")).isGreaterThan(1_000_000);
			assertThat(token(context, "/bound?token=7")).isGreaterThan(1_000_000);
		});
	}

	@Test
	@Wide
	void outageIs503() {
		this.runner.withPropertyValues("spring.data.redis.port=1")
			.run((context) -> assertThat(MockMvcTester.from(context).get().uri("/run/anna"))
				.hasStatus(HttpStatus.SERVICE_UNAVAILABLE));
	}

	private static MvcTestResult refused(WebApplicationContext context) {
		try (LockHandle held = context.getBean(DistributedLocks.class).tryLock("agent", "anna").orElseThrow()) {
			assertThat(held.isValid()).isTrue();
			return MockMvcTester.from(context).get().uri("/run/anna").exchange();
		}
	}

	private static long token(WebApplicationContext context, String uri) throws Exception {
		MvcTestResult result = MockMvcTester.from(context).get().uri(uri).exchange();
		assertThat(result).hasStatusOk();
		return Long.parseLong(result.getResponse().getContentAsString());
	}

	@ImportAutoConfiguration({ io.ge.redis.autoconfigure.GeRedisAutoConfiguration.class,
			io.ge.redis.autoconfigure.LockAutoConfiguration.class,
			io.ge.redis.autoconfigure.GeRedisWebAutoConfiguration.class })
	static class Guards {

	}

	@RestController
	static class Desk {

		@DistributedLock(name = "agent", key = "#agent")
		@GetMapping("/run/{agent}")
		public String run(@PathVariable String agent, @FencingToken long token) {
			return "" + token;
		}

		@DistributedLock(name = "bound")
		@GetMapping("/bound")
		public String bound(@RequestParam @FencingToken long token) {
			return "" + token;
		}

	}

	@RestControllerAdvice
	static class OwnHandler {

		@ExceptionHandler(LockNotAcquiredException.class)
		@ResponseStatus(HttpStatus.I_AM_A_TEAPOT)
		String own() {
			return "own";
		}

	}

}
