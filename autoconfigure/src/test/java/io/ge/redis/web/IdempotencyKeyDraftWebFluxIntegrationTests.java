// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link IdempotencyKeyDraftWebContract} on WebFlux, and what both give again of each
 * other.
 */
@Wide
class IdempotencyKeyDraftWebFluxIntegrationTests extends IdempotencyKeyDraftWebContract {

	@Override
	WebApplicationType type() {
		return WebApplicationType.REACTIVE;
	}

	@Override
	Class<?> configuration() {
		return Configured.class;
	}

	@Test
	void whatAServerOfTheOtherKindHasKeptIsRepeated() throws Exception {
		try (ConfigurableApplicationContext servlets = start(IdempotencyKeyDraftMvcIntegrationTests.Configured.class,
				WebApplicationType.SERVLET)) {
			assertRepeats(application(), servlets);
			assertRepeats(servlets, application());
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

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Sales.class, SaleController.class })
	static class Configured {

		@Bean
		MapReactiveUserDetailsService inMemory() {
			return new MapReactiveUserDetailsService(users());
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
			return Mono.fromCallable(() -> this.sales.add(order));
		}

		@PostMapping("/refused-sales")
		@Idempotent
		public Mono<ResponseEntity<Sale>> refuse(@RequestBody Order order) {
			return Mono.fromCallable(() -> this.sales.refuse(order));
		}

		@PostMapping("/slow-sales")
		@Idempotent
		public Mono<ResponseEntity<Sale>> sellSlowly(@RequestBody Order order) {
			return Mono.defer(() -> Mono.fromFuture(this.sales.process(), true))
				.then(Mono.fromCallable(() -> this.sales.add(order)));
		}

	}

}
