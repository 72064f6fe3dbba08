// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.test.util.AopTestUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that uses the objects of a request again for another one, while a call that
 * has claimed its key still goes on.
 */
@Wide
class IdempotentExchangeTomcatWebFluxIntegrationTests {

	private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private static ConfigurableApplicationContext application;

	private static Desk desk;

	@BeforeAll
	static void start() {
		Stream<String> properties = Stream.of("spring.main.web-application-type=reactive", "server.port=0",
				"server.address=127.0.0.1", "spring.main.banner-mode=off", "ge.redis.outage.command-timeout=5s",
				"logging.level.org.springframework.boot.webflux.autoconfigure.error=OFF",
				"logging.level.org.springframework.web.HttpLogging=OFF",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		application = new SpringApplication(Configured.class)
			.run(Stream.concat(Stream.of(SharedRedis.standalone().properties()), properties)
				.map((property) -> "--" + property)
				.toArray(String[]::new));
		desk = AopTestUtils.getUltimateTargetObject(application.getBean(Desk.class));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void reset() {
		SharedRedis.standalone().flushAll();
		desk.begin();
	}

	@Test
	void callThatGoesOnSeesItsOwnRequestAndResponse() throws Exception {
		HttpRequest slow = request("/slow").header("Idempotency-Key", "k")
			.header("X-Impatient", "true")
			.header("X-Name", "first")
			.header("Cookie", "name=first")
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		assertThat(CLIENT.send(slow, HttpResponse.BodyHandlers.discarding()).statusCode()).isEqualTo(504);
		CompletableFuture<HttpResponse<String>> next = CLIENT.sendAsync(
				request("/held").header("X-Name", "second").header("Cookie", "name=second").build(),
				HttpResponse.BodyHandlers.ofString());
		assertThat(desk.held.await(10, TimeUnit.SECONDS)).isTrue();
		desk.leave.countDown();
		assertThat(desk.seen.get(10, TimeUnit.SECONDS)).isEqualTo("first first 127.0.0.1");
		desk.release.tryEmitEmpty();
		HttpResponse<String> answer = next.get(10, TimeUnit.SECONDS);
		assertThat(answer.body()).isEqualTo("held");
		assertThat(answer.headers().firstValue("X-Answer")).isEmpty();
	}

	private static HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
	}

	private static int port() {
		return Integer.parseInt(application.getEnvironment().getRequiredProperty("local.server.port"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Desk.class, Impatient.class })
	static class Configured {

		@Bean
		TomcatReactiveWebServerFactory tomcat() {
			return new TomcatReactiveWebServerFactory();
		}

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
				.authorizeExchange((requests) -> requests.anyExchange().permitAll())
				.build();
		}

	}

	@RestController
	static class Desk {

		volatile CountDownLatch entered = new CountDownLatch(1);

		volatile CountDownLatch leave = new CountDownLatch(1);

		volatile CountDownLatch held = new CountDownLatch(1);

		volatile Sinks.Empty<Void> release = Sinks.empty();

		volatile CompletableFuture<String> seen = new CompletableFuture<>();

		public void begin() {
			this.entered = new CountDownLatch(1);
			this.leave = new CountDownLatch(1);
			this.held = new CountDownLatch(1);
			this.release = Sinks.empty();
			this.seen = new CompletableFuture<>();
		}

		@PostMapping("/slow")
		@Idempotent
		public Mono<String> slow(ServerWebExchange exchange) {
			return Mono.fromCallable(() -> {
				this.entered.countDown();
				this.leave.await(10, TimeUnit.SECONDS);
				try {
					exchange.getResponse().getHeaders().set("X-Answer", "first");
					this.seen.complete(exchange.getRequest().getHeaders().getFirst("X-Name") + " "
							+ exchange.getRequest().getCookies().getFirst("name").getValue() + " "
							+ exchange.getRequest().getRemoteAddress().getHostString());
				}
				catch (RuntimeException ex) {
					this.seen.completeExceptionally(ex);
				}
				return "done";
			}).subscribeOn(Schedulers.boundedElastic());
		}

		@GetMapping("/held")
		public Mono<String> held() {
			this.held.countDown();
			return this.release.asMono().thenReturn("held");
		}

	}

	static class Impatient implements WebFilter {

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			Mono<Void> answered = chain.filter(exchange);
			if (exchange.getRequest().getHeaders().getFirst("X-Impatient") == null) {
				return answered;
			}
			Mono<Void> entered = Mono.<Void>fromCallable(() -> {
				desk.entered.await(10, TimeUnit.SECONDS);
				return null;
			})
				.subscribeOn(Schedulers.boundedElastic())
				.then(Mono.error(new ResponseStatusException(HttpStatus.GATEWAY_TIMEOUT)));
			return Mono.firstWithSignal(answered, entered);
		}

	}

}
