/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;

import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.CorsConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Refusals of rules as a page of another origin sees them, called over HTTP: the filter
 * that refuses stands before all that handles CORS.
 */
@Wide
class RequestCorsIntegrationTests {

	private static final String PAGE = "https://shop.example.org";

	private static ConfigurableApplicationContext application;

	private final HttpClient client = HttpClient.newHttpClient();

	@BeforeAll
	static void start() {
		List<String> names = List.of("secured", "handler", "plain", "after");
		Stream<String> rules = names.stream().flatMap((name) -> {
			String rule = "ge.redis.rate-limit.rules[" + names.indexOf(name) + "].";
			return Stream.of(rule + "name=" + name, rule + "path=/" + name + "/**", rule + "limit=1");
		});
		Stream<String> common = Stream.of("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
				"ge.redis.rate-limit.rules[3].phase=after-authentication",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		application = new SpringApplication(Configured.class)
			.run(Stream.of(Stream.of(SharedRedis.standalone().properties()), common, rules)
				.flatMap((properties) -> properties)
				.map((property) -> "--" + property)
				.toArray(String[]::new));
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
	void refusalIsReadableWhereSpringSecurityHandlesCors() throws Exception {
		exhaust("/secured/1");
		HttpResponse<String> refused = send("GET", "/secured/1", "Origin", PAGE);
		assertReadable(refused);
		assertThat(refused.headers().firstValue("Access-Control-Allow-Credentials")).contains("true");
		assertThat(refused.headers().firstValue("Access-Control-Expose-Headers")).contains("Retry-After");
		assertThat(refused.headers().firstValue("Retry-After")).isPresent();
		assertThat(refused.headers().allValues("Vary")).contains("Origin");
	}

	@Test
	void refusalIsReadableWhereHandlersHandleCors() throws Exception {
		exhaust("/handler/1");
		assertReadable(send("GET", "/handler/1", "Origin", PAGE));
	}

	@Test
	void refusalBehindSpringSecurityIsReadableToo() throws Exception {
		exhaust("/after/1");
		assertReadable(send("GET", "/after/1", "Origin", PAGE));
	}

	@Test
	void originThatIsNotAllowedIsToldSo() throws Exception {
		for (String path : List.of("/secured/2", "/handler/2")) {
			exhaust(path);
			for (String origin : List.of("https://evil.example.org", "null", "http://[", "a b")) {
				HttpResponse<String> refused = send("GET", path, "Origin", origin);
				assertThat(refused.statusCode()).as(path + " from " + origin).isEqualTo(403);
				assertThat(refused.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
			}
		}
	}

	@Test
	void refusalStaysAsItIsWithoutCors() throws Exception {
		exhaust("/secured/3");
		HttpResponse<String> refused = send("GET", "/secured/3");
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(refused.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
		exhaust("/plain/3");
		refused = send("GET", "/plain/3", "Origin", PAGE);
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(refused.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
	}

	@Test
	void preflightIsAnsweredAndNotCounted() throws Exception {
		for (String path : List.of("/secured/4", "/handler/4", "/after/4")) {
			for (int i = 0; i < 3; i++) {
				assertPreflight(path);
			}
			exhaust(path);
			assertPreflight(path);
		}
	}

	@Test
	void whatOnlyLooksLikeAPreflightIsCounted() throws Exception {
		assertThat(preflight("/plain/5").headers().firstValue("RateLimit")).isPresent();
		assertThat(preflight("/plain/5").statusCode()).isEqualTo(429);
		exhaust("/secured/5");
		assertThat(send("OPTIONS", "/secured/5", "Origin", PAGE).statusCode()).isEqualTo(429);
	}

	private void exhaust(String path) throws IOException, InterruptedException {
		HttpResponse<String> response = send("GET", path);
		while (response.statusCode() == 200) {
			response = send("GET", path);
		}
		assertThat(response.statusCode()).isEqualTo(429);
	}

	private static void assertReadable(HttpResponse<String> refused) {
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(refused.headers().allValues("Access-Control-Allow-Origin")).containsExactly(PAGE);
		assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(refused.body()).contains("violated-policies");
	}

	private void assertPreflight(String path) throws IOException, InterruptedException {
		HttpResponse<String> answer = preflight(path);
		assertThat(answer.statusCode()).as(path).isEqualTo(200);
		assertThat(answer.headers().allValues("Access-Control-Allow-Origin")).as(path).containsExactly(PAGE);
		assertThat(answer.headers().firstValue("RateLimit")).as(path).isEmpty();
	}

	private HttpResponse<String> preflight(String path) throws IOException, InterruptedException {
		return send("OPTIONS", path, "Origin", PAGE, "Access-Control-Request-Method", "GET");
	}

	private HttpResponse<String> send(String method, String path, String... headers)
			throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI
				.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path))
			.method(method, HttpRequest.BodyPublishers.noBody());
		return this.client.send((headers.length > 0) ? request.headers(headers).build() : request.build(),
				HttpResponse.BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Plain.class, Open.class })
	static class Configured {

		@Bean
		@Order(1)
		SecurityFilterChain secured(HttpSecurity http) throws Exception {
			CorsConfiguration configuration = new CorsConfiguration();
			configuration.setAllowedOrigins(List.of(PAGE));
			configuration.setAllowedMethods(List.of("GET", "OPTIONS"));
			configuration.setAllowCredentials(true);
			configuration.setExposedHeaders(List.of("Retry-After"));
			return http.securityMatcher("/secured/**", "/after/**")
				.cors((cors) -> cors.configurationSource((request) -> configuration))
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

		@Bean
		@Order(2)
		SecurityFilterChain others(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll()).build();
		}

	}

	@RestController
	static class Plain {

		@RequestMapping({ "/secured/{id}", "/after/{id}", "/plain/{id}" })
		public String done() {
			return "done";
		}

	}

	@RestController
	@CrossOrigin(PAGE)
	static class Open {

		@RequestMapping("/handler/{id}")
		public String done() {
			return "done";
		}

	}

}
