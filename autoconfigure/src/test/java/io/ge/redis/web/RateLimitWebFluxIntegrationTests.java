// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisWebAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitWebAutoConfiguration;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.web.context.reactive.AnnotationConfigReactiveWebApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.reactive.config.EnableWebFlux;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rate limits on handlers of a reactive web application.
 */
@Wide
class RateLimitWebFluxIntegrationTests {

	private static AnnotationConfigReactiveWebApplicationContext application;

	private static WebTestClient client;

	@BeforeAll
	static void start() {
		application = new AnnotationConfigReactiveWebApplicationContext();
		TestPropertyValues.of(SharedRedis.properties()).and("ge.redis.outage.command-timeout=5s").applyTo(application);
		application.register(Application.class);
		application.refresh();
		client = WebTestClient.bindToApplicationContext(application)
			.configureClient()
			.responseTimeout(Duration.ofSeconds(30))
			.build();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void refusalsAreProblems() {
		for (String path : new String[] { "/mono/anna", "/future/boris", "/flux/carl" }) {
			get(path).expectStatus().isOk();
			get(path).expectStatus()
				.isEqualTo(HttpStatus.TOO_MANY_REQUESTS)
				.expectHeader()
				.contentType(MediaType.APPLICATION_PROBLEM_JSON)
				.expectHeader()
				.value("Retry-After", (wait) -> assertThat(Integer.parseInt(wait)).isBetween(3000, 3600))
				.expectBody()
				.jsonPath("$.type")
				.isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded")
				.jsonPath("$.violated-policies[0]")
				.isEqualTo("tasks")
				.jsonPath("$.instance")
				.isEqualTo(path);
		}
	}

	@Test
	void handlerOfTheApplicationIsAsked() {
		get("/own/anna").expectStatus().isOk();
		get("/own/anna").expectStatus().isEqualTo(HttpStatus.I_AM_A_TEAPOT);
	}

	@Test
	void keyOfTheClientThatNamesNobodyIsABadRequest() {
		get("/mono/%20").expectStatus().isBadRequest();
	}

	@Test
	void valuesOfTheRequestAreKeys() {
		for (String path : new String[] { "/machines", "/machines/later" }) {
			assertThat(statuses(path, "X-Api-Key", "one", "one", "two")).containsExactly(200, 429, 200);
			assertThat(statuses(path, "X-Other", "one")).containsExactly(400);
		}
	}

	private static List<Integer> statuses(String path, String header, String... values) {
		return Arrays.stream(values)
			.map((value) -> client.get()
				.uri(path)
				.header(header, value)
				.exchange()
				.returnResult(Void.class)
				.getStatus()
				.value())
			.toList();
	}

	@Test
	void ruleYieldsToAdviceForOurTypeButNotToOneForEverything() {
		ReactiveWebApplicationContextRunner ruled = new ReactiveWebApplicationContextRunner()
			.withUserConfiguration(Application.class)
			.withPropertyValues(SharedRedis.properties())
			.withPropertyValues("ge.redis.rate-limit.rules[0].path=/mono/**", "ge.redis.rate-limit.rules[0].limit=1");
		ruled.withBean(Everything.class).withBean(OwnAdvice.class).run((context) -> {
			WebTestClient called = WebTestClient.bindToApplicationContext(context).build();
			called.get().uri("/mono/dora").exchange().expectStatus().isOk();
			called.get()
				.uri("/mono/dora")
				.exchange()
				.expectStatus()
				.isEqualTo(HttpStatus.I_AM_A_TEAPOT)
				.expectHeader()
				.exists("RateLimit")
				.expectBody(String.class)
				.isEqualTo("advised");
		});
		ruled.withBean(Everything.class)
			.run((context) -> WebTestClient.bindToApplicationContext(context)
				.build()
				.get()
				.uri("/mono/dora")
				.exchange()
				.expectStatus()
				.isEqualTo(HttpStatus.TOO_MANY_REQUESTS));
	}

	private static WebTestClient.ResponseSpec get(String path) {
		return client.get().uri(URI.create(path)).exchange();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFlux
	@Import({ Desk.class, OwnDesk.class })
	@ImportAutoConfiguration({ AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, RateLimitAutoConfiguration.class, GeRedisWebAutoConfiguration.class,
			RateLimitWebAutoConfiguration.class })
	static class Application {

	}

	@Order(0)
	@RestControllerAdvice
	static class OwnAdvice {

		@ExceptionHandler(RateLimitExceededException.class)
		@ResponseStatus(HttpStatus.I_AM_A_TEAPOT)
		Mono<String> own() {
			return Mono.just("advised");
		}

	}

	@Order(Ordered.LOWEST_PRECEDENCE)
	@RestControllerAdvice
	static class Everything {

		@ExceptionHandler(Exception.class)
		@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
		String all() {
			return "all";
		}

	}

	@RestController
	static class Desk {

		@GetMapping("/mono/{user}")
		@RateLimited(name = "tasks", key = "#user", limit = 1, window = "1h")
		public Mono<String> mono(@PathVariable("user") String user) {
			return Mono.just("done");
		}

		@GetMapping("/future/{user}")
		@RateLimited(name = "tasks", key = "#user", limit = 1, window = "1h")
		public CompletableFuture<String> future(@PathVariable("user") String user) {
			return CompletableFuture.completedFuture("done");
		}

		@GetMapping("/machines")
		@RateLimited(name = "machines", key = "header:X-Api-Key", limit = 1, window = "1h")
		public Mono<String> machines() {
			return Mono.just("done");
		}

		@GetMapping("/machines/later")
		@RateLimited(name = "later-machines", key = "header:X-Api-Key", limit = 1, window = "1h")
		public CompletableFuture<String> laterMachines() {
			return CompletableFuture.completedFuture("done");
		}

		@GetMapping("/flux/{user}")
		@RateLimited(name = "tasks", key = "#user", limit = 1, window = "1h")
		public Flux<String> flux(@PathVariable("user") String user) {
			return Flux.just("done", "and done");
		}

	}

	@RestController
	static class OwnDesk {

		@GetMapping("/own/{user}")
		@RateLimited(name = "own", key = "#user", limit = 1, window = "1h")
		public Mono<String> own(@PathVariable("user") String user) {
			return Mono.just("done");
		}

		@ExceptionHandler(RateLimitExceededException.class)
		@ResponseStatus(HttpStatus.I_AM_A_TEAPOT)
		public Mono<String> refused() {
			return Mono.just("refused");
		}

	}

}
