// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.NimbusReactiveJwtDecoder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.util.matcher.ServerWebExchangeMatchers;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.reactive.config.BlockingExecutionConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link WebContract} on WebFlux.
 */
@Wide
class WebFluxContractIntegrationTests extends WebContract {

	@Override
	WebApplicationType type() {
		return WebApplicationType.REACTIVE;
	}

	@Override
	Class<?> configuration() {
		return Application.class;
	}

	@Override
	String tenant() {
		return "#request.headers.getFirst('X-Tenant')";
	}

	@Override
	List<String> results() {
		return Stream.concat(super.results().stream(), Stream.of("response", "later")).toList();
	}

	@Test
	void futuresAndSeveralValuesAreGuardedAlike() throws Exception {
		for (String path : List.of("/future/" + fresh(), "/flux/" + fresh(), "/blocking/" + fresh())) {
			HttpResponse<String> first = get(path);
			assertThat(first.statusCode()).as(path).isEqualTo(200);
			assertThat(items(first, "RateLimit")).as(path).hasSize(1);
			assertThat(items(first, "RateLimit").get(0).number("r")).as(path).isZero();
			HttpResponse<String> refused = get(path);
			assertThat(refused.statusCode()).as(path).isEqualTo(429);
			assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
			assertThat(items(refused, "RateLimit")).as(path).hasSize(1);
		}
	}

	@Test
	void handlerThatMayWaitIsCalledWhereItMay() throws Exception {
		assertThat(get("/blocking-thread").body()).startsWith("waiting-");
	}

	@Test
	void handlerThatWouldWaitOnTheEventLoopIsAMistake() throws Exception {
		HttpResponse<String> refused = get("/waiting/" + fresh());
		assertThat(refused.statusCode()).isEqualTo(500);
		assertThat(refused.body()).contains("@RateLimited on " + WaitingDesk.class.getName() + ".task(String)",
				"must not wait", "Return a Mono");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ CatchAll.class, Support.class, OwnHandler.class, ResultDesk.class, Desk.class, LocalDesk.class,
			OwnDesk.class, OpenDesk.class, LaterDesk.class, ResponseDesk.class, BlockingDesk.class, WaitingDesk.class })
	static class Application {

		@Bean
		@Order(Ordered.HIGHEST_PRECEDENCE)
		WebFilter corsFilter() {
			CorsWebFilter filter = new CorsWebFilter((exchange) -> cors());
			return (exchange, chain) -> exchange.getRequest().getPath().value().startsWith("/secured/")
					? filter.filter(exchange, chain) : chain.filter(exchange);
		}

		@Bean
		@Order(1)
		SecurityWebFilterChain secured(ServerHttpSecurity http) {
			return http.securityMatcher(ServerWebExchangeMatchers.pathMatchers("/after/**"))
				.cors((handling) -> handling.configurationSource((exchange) -> cors()))
				.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll())
				.build();
		}

		@Bean
		@Order(2)
		SecurityWebFilterChain others(ServerHttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeExchange((exchanges) -> exchanges.pathMatchers("/me", "/token", "/login/secret")
					.authenticated()
					.anyExchange()
					.permitAll())
				.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
				.build();
		}

		@Bean
		NimbusReactiveJwtDecoder decoder() {
			return NimbusReactiveJwtDecoder.withSecretKey(KEY).macAlgorithm(MacAlgorithm.HS256).build();
		}

		@Bean
		WebFluxConfigurer blockingHandlers() {
			return new WebFluxConfigurer() {

				@Override
				public void configureBlockingExecution(BlockingExecutionConfigurer configurer) {
					configurer.setExecutor(new SimpleAsyncTaskExecutor("waiting-"))
						.setControllerMethodPredicate((method) -> method.getBeanType() == BlockingDesk.class);
				}

			};
		}

	}

	@RestController
	static class Desk {

		@GetMapping({ "/free", "/login", "/login/deeper", "/login/secret", "/machines", "/tenants", "/me",
				"/secured/{id}", "/after/{id}", "/plain/{id}", "/strict/before", "/strict/after" })
		public Mono<String> done() {
			return Mono.just("done");
		}

		@PutMapping("/login")
		public Mono<String> put() {
			return Mono.just("done");
		}

		@RateLimited(name = "tasks", key = "#agent", limit = 2)
		@RateLimited(name = "daily", key = "#agent", limit = 100, window = "1d")
		@GetMapping("/tasks/{agent}")
		public Mono<String> task(@PathVariable("agent") String agent) {
			return Mono.just(agent);
		}

		@RateLimited(name = "gone", key = "#agent", limit = 1)
		@GetMapping("/gone/{agent}")
		@ResponseStatus(HttpStatus.NO_CONTENT)
		public Mono<Void> gone(@PathVariable("agent") String agent) {
			return Mono.empty();
		}

		@RateLimited(name = "optional", key = "#agent", limit = 100)
		@GetMapping("/optional")
		public Mono<String> optional(@RequestParam(name = "agent", required = false) String agent) {
			return Mono.just("done");
		}

		@RateLimited(name = "method", key = "#id", limit = 5)
		@GetMapping("/both/{id}")
		public Mono<String> both(@PathVariable("id") String id) {
			return Mono.just("both");
		}

		@RateLimited(name = "strict", limit = 100, onOutage = OutagePolicy.DENY)
		@GetMapping("/strict/call")
		public Mono<String> strict() {
			return Mono.just("done");
		}

		@GetMapping("/locked")
		public Mono<String> locked() {
			return Mono.error(new LockNotAcquiredException("orders", Duration.ofSeconds(7)));
		}

		@GetMapping("/loading")
		public Mono<String> loading() {
			return Mono.error(new CacheLoadTimeoutException("orders"));
		}

		@GetMapping("/revoked")
		public Mono<String> revoked() {
			return Mono.error(new TokenRevokedException(TokenBlacklist.TOKENS, TokenStatus.REVOKED));
		}

		@GetMapping("/failing")
		public Mono<String> failing() {
			return Mono.error(new IllegalStateException("of the application"));
		}

		@BlacklistCheck(name = "addresses", subject = "#address")
		@GetMapping("/addresses/{address}")
		public Mono<String> address(@PathVariable("address") String address) {
			return Mono.just(address);
		}

		@BlacklistCheck
		@GetMapping("/token")
		public Mono<String> token() {
			return Mono.just("good");
		}

	}

	@RestController
	static class LocalDesk {

		@RateLimited(name = "local", key = "#agent", limit = 1)
		@GetMapping("/local/{agent}")
		public Mono<String> task(@PathVariable("agent") String agent) {
			return Mono.just(agent);
		}

		@GetMapping("/local-failing")
		public Mono<String> failing() {
			return Mono.error(new IllegalStateException("of the application"));
		}

		@ExceptionHandler(Exception.class)
		@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
		public String all() {
			return "local";
		}

	}

	@Own
	@RestController
	static class OwnDesk {

		@RateLimited(name = "own", key = "#agent", limit = 1)
		@GetMapping("/own/{agent}")
		public Mono<String> task(@PathVariable("agent") String agent) {
			return Mono.just(agent);
		}

	}

	@CrossOrigin(PAGE)
	@RestController
	static class OpenDesk {

		@GetMapping("/handler/{id}")
		public Mono<String> done() {
			return Mono.just("done");
		}

	}

	@RestController
	static class LaterDesk {

		@RateLimited(name = "future", key = "#agent", limit = 1)
		@GetMapping("/future/{agent}")
		public CompletableFuture<String> future(@PathVariable("agent") String agent) {
			return CompletableFuture.completedFuture(agent);
		}

		@RateLimited(name = "flux", key = "#agent", limit = 1)
		@GetMapping("/flux/{agent}")
		public Flux<String> flux(@PathVariable("agent") String agent) {
			return Flux.just(agent, agent);
		}

	}

	@RestController
	static class ResponseDesk {

		@RateLimited(name = "result", key = "#id", limit = 1)
		@GetMapping("/results/response/{id}")
		public Mono<Void> response(@PathVariable("id") String id, ServerHttpResponse response) {
			return response.setComplete();
		}

		@RateLimited(name = "result", key = "#id", limit = 1)
		@GetMapping("/results/later/{id}")
		public CompletableFuture<Void> later(@PathVariable("id") String id) {
			return CompletableFuture.runAsync(() -> {
			});
		}

	}

	@RestController
	static class BlockingDesk {

		@RateLimited(name = "blocking", key = "#agent", limit = 1)
		@GetMapping("/blocking/{agent}")
		public String task(@PathVariable("agent") String agent) {
			return agent;
		}

		@GetMapping("/blocking-thread")
		public String thread() {
			return Thread.currentThread().getName();
		}

		@ExceptionHandler(Throwable.class)
		@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
		public String all() {
			return "local";
		}

	}

	@RestController
	static class WaitingDesk {

		@RateLimited(name = "waiting", key = "#agent", limit = 1)
		@GetMapping("/waiting/{agent}")
		public String task(@PathVariable("agent") String agent) {
			return agent;
		}

		@ExceptionHandler(Exception.class)
		@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
		public String all(Exception failure) {
			return failure.getMessage();
		}

	}

}
