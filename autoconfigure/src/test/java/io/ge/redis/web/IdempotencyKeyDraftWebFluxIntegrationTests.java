/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.draft.IdempotencyKeyDraftContract;
import io.ge.redis.test.draft.IdempotentServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The header as the draft wants it, on WebFlux.
 */
class IdempotencyKeyDraftWebFluxIntegrationTests extends IdempotencyKeyDraftContract {

	private static final String DOCUMENTATION = "https://shop.example.org/idempotency";

	private static ConfigurableApplicationContext application;

	@BeforeAll
	static void start() {
		application = start(Configured.class, "spring.main.web-application-type=reactive");
	}

	private static ConfigurableApplicationContext start(Class<?> configuration, String type) {
		Stream<String> properties = Stream.of("server.port=0", "server.address=127.0.0.1", type,
				// Reactor Netty 1.3.6 and 1.3.7 may stop reading a connection that is
				// kept
				// (reactor-netty#4361)
				"server.netty.max-keep-alive-requests=1", "spring.main.banner-mode=off",
				"ge.redis.outage.command-timeout=5s", "ge.redis.idempotency.documentation=" + DOCUMENTATION,
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		return new SpringApplication(configuration)
			.run(Stream.concat(Stream.of(SharedRedis.standalone().properties()), properties)
				.map((property) -> "--" + property)
				.toArray(String[]::new));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void whatAServerOfTheOtherKindHasKeptIsRepeated() throws Exception {
		try (ConfigurableApplicationContext servlets = start(IdempotencyKeyDraftMvcIntegrationTests.Configured.class,
				"spring.main.web-application-type=servlet")) {
			assertRepeats(application, servlets);
			assertRepeats(servlets, application);
		}
	}

	private static void assertRepeats(ConfigurableApplicationContext first, ConfigurableApplicationContext second)
			throws Exception {
		String key = UUID.randomUUID().toString();
		HttpResponse<String> answer = sell(first, key, 1);
		assertThat(answer.statusCode()).isEqualTo(201);
		HttpResponse<String> again = sell(second, key, 1);
		assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
		assertThat(again.statusCode()).isEqualTo(201);
		assertThat(again.body()).isEqualTo(answer.body());
		assertThat(again.headers().firstValue("Location")).isEqualTo(answer.headers().firstValue("Location"));
		assertThat(again.headers().firstValue("Content-Type")).isEqualTo(answer.headers().firstValue("Content-Type"));
		assertThat(sell(second, key, 2).statusCode()).isEqualTo(422);
	}

	private static HttpResponse<String> sell(ConfigurableApplicationContext server, String key, int amount)
			throws Exception {
		String port = server.getEnvironment().getRequiredProperty("local.server.port");
		return HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/sales"))
				.header("Content-Type", "application/json")
				.header("Idempotency-Key", key)
				.POST(HttpRequest.BodyPublishers.ofString("{\"amount\":" + amount + "}"))
				.build(), HttpResponse.BodyHandlers.ofString());
	}

	@Override
	protected IdempotentServer server() {
		return application.getBean(Sales.class);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(SaleController.class)
	static class Configured {

		@Bean
		Sales sales() {
			return new Sales();
		}

		@Bean
		MapReactiveUserDetailsService users() {
			return new MapReactiveUserDetailsService(User.withUsername("anna").password("{noop}secret").build(),
					User.withUsername("boris").password("{noop}secret").build());
		}

		@Bean
		SecurityWebFilterChain everybodyMay(ServerHttpSecurity http) {
			return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.httpBasic(Customizer.withDefaults())
				.authorizeExchange((requests) -> requests.anyExchange().permitAll())
				.build();
		}

	}

	/**
	 * What the resources do.
	 */
	static class Sales implements IdempotentServer {

		private final AtomicLong effects = new AtomicLong();

		private final CountDownLatch processing = new CountDownLatch(1);

		private final Sinks.Empty<Void> released = Sinks.empty();

		private Mono<ResponseEntity<Sale>> add(Order order) {
			return Mono.fromCallable(() -> created(order));
		}

		private ResponseEntity<Sale> created(Order order) {
			return ResponseEntity.created(URI.create("/sales/" + this.effects.incrementAndGet()))
				.body(new Sale(UUID.randomUUID(), order.amount()));
		}

		private Mono<ResponseEntity<Sale>> addLater(Order order) {
			return Mono.fromRunnable(this.processing::countDown).then(this.released.asMono()).then(add(order));
		}

		private static void await(CountDownLatch latch) {
			try {
				if (!latch.await(30, TimeUnit.SECONDS)) {
					throw new IllegalStateException("Nobody came");
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public URI resource() {
			return address("/sales");
		}

		@Override
		public URI refusing() {
			return address("/refused-sales");
		}

		@Override
		public URI slow() {
			return address("/slow-sales");
		}

		private static URI address(String path) {
			return URI
				.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path);
		}

		@Override
		public void awaitProcessing() {
			await(this.processing);
		}

		@Override
		public void release() {
			this.released.tryEmitEmpty();
		}

		@Override
		public String documentation() {
			return DOCUMENTATION;
		}

		@Override
		public long effects() {
			return this.effects.get();
		}

		@Override
		public Map<String, String> credentials(String name) {
			String text = Base64.getEncoder().encodeToString((name + ":secret").getBytes(StandardCharsets.UTF_8));
			return Map.of("Authorization", "Basic " + text);
		}

	}

	/**
	 * The resources.
	 */
	@RestController
	static class SaleController {

		private final Sales sales;

		SaleController(Sales sales) {
			this.sales = sales;
		}

		@PostMapping("/sales")
		@Idempotent
		public Mono<ResponseEntity<Sale>> sell(@RequestBody Order order) {
			return this.sales.add(order);
		}

		@PostMapping("/refused-sales")
		@Idempotent
		public Mono<ResponseEntity<Sale>> refuse(@RequestBody Order order) {
			return Mono.fromCallable(
					() -> ResponseEntity.unprocessableContent().body(new Sale(UUID.randomUUID(), order.amount())));
		}

		@PostMapping("/slow-sales")
		@Idempotent
		public Mono<ResponseEntity<Sale>> sellSlowly(@RequestBody Order order) {
			return this.sales.addLater(order);
		}

	}

	/**
	 * What is asked for.
	 */
	record Order(int amount) {
	}

	/**
	 * What is answered.
	 */
	record Sale(UUID id, int amount) {
	}

}
