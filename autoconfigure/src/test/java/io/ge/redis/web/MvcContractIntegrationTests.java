// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import io.ge.redis.blacklist.BlacklistCheck;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.cache.CacheLoadTimeoutException;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.LockNotAcquiredException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.security.BlacklistTokenValidator;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.CorsFilter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link WebContract} on Spring MVC.
 */
class MvcContractIntegrationTests extends WebContract {

	@Override
	WebApplicationType type() {
		return WebApplicationType.SERVLET;
	}

	@Override
	Class<?> configuration() {
		return Application.class;
	}

	@Override
	String tenant() {
		return "#request.getHeader('X-Tenant')";
	}

	@Override
	List<String> results() {
		return Stream.concat(super.results().stream(), Stream.of("void", "entity", "callable", "deferred")).toList();
	}

	@Test
	void ruleTakesItsCost() throws Exception {
		assertThat(items(get("/heavy"), "RateLimit").get(0).number("r")).isEqualTo(6);
		assertThat(items(get("/heavy"), "RateLimit").get(0).number("r")).isEqualTo(2);
		HttpResponse<String> refused = get("/heavy");
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(items(refused, "RateLimit").get(0).number("r")).isEqualTo(2);
	}

	@Test
	void requestThatIsDispatchedAgainCountsOnce() throws Exception {
		assertThat(get("/once/later").body()).isEqualTo("later");
		HttpResponse<String> failed = get("/once/error");
		assertThat(failed.statusCode()).isEqualTo(418);
		assertThat(failed.body()).contains("\"status\":418");
		assertThat(items(get("/once"), "RateLimit").get(0).number("r")).isEqualTo(7);
	}

	@Test
	void browserThatMayNotSeeTheErrorPageGetsTheProblem() throws Exception {
		exhaust("/plain/hidden");
		HttpResponse<String> refused = get("/plain/hidden", "Accept", "text/html");
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(refused.headers().firstValue("Retry-After")).isPresent();
		assertThat(json(refused).get("instance").asString()).isEqualTo("/plain/hidden");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ CatchAll.class, Support.class, OwnHandler.class, ResultDesk.class, Desk.class, LocalDesk.class,
			OwnDesk.class, OpenDesk.class })
	static class Application {

		@Bean
		FilterRegistrationBean<CorsFilter> corsFilter() {
			FilterRegistrationBean<CorsFilter> filter = new FilterRegistrationBean<>(
					new CorsFilter((request) -> cors()));
			filter.addUrlPatterns("/secured/*");
			filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return filter;
		}

		@Bean
		@Order(1)
		SecurityFilterChain secured(HttpSecurity http) throws Exception {
			return http.securityMatcher("/after/**")
				.cors((handling) -> handling.configurationSource((request) -> cors()))
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

		@Bean
		@Order(2)
		SecurityFilterChain others(HttpSecurity http) throws Exception {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/me", "/token", "/login/secret")
					.authenticated()
					.requestMatchers((request) -> "/plain/hidden"
						.equals(request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI)))
					.authenticated()
					.anyRequest()
					.permitAll())
				.oauth2ResourceServer((server) -> server.jwt(Customizer.withDefaults()))
				.build();
		}

		@Bean
		NimbusJwtDecoder decoder(BlacklistTokenValidator revoked) {
			NimbusJwtDecoder decoder = NimbusJwtDecoder.withSecretKey(KEY).macAlgorithm(MacAlgorithm.HS256).build();
			decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(JwtValidators.createDefault(), revoked));
			return decoder;
		}

	}

	@RestController
	static class Desk {

		@GetMapping({ "/free", "/login", "/login/deeper", "/login/secret", "/machines", "/tenants", "/me",
				"/secured/{id}", "/after/{id}", "/plain/{id}", "/strict/before", "/strict/after", "/heavy", "/once" })
		public String done() {
			return "done";
		}

		@GetMapping("/once/later")
		public Callable<String> later() {
			return () -> "later";
		}

		@GetMapping("/once/error")
		public void error(HttpServletResponse response) throws IOException {
			response.sendError(418);
		}

		@RateLimited(name = "result", key = "#id", limit = 1)
		@GetMapping("/results/void/{id}")
		public void nothing(@PathVariable("id") String id) {
		}

		@RateLimited(name = "result", key = "#id", limit = 1)
		@GetMapping("/results/entity/{id}")
		public ResponseEntity<Void> entity(@PathVariable("id") String id) {
			return ResponseEntity.noContent().build();
		}

		@RateLimited(name = "result", key = "#id", limit = 1)
		@GetMapping("/results/callable/{id}")
		public Callable<String> callable(@PathVariable("id") String id) {
			return () -> id;
		}

		@RateLimited(name = "result", key = "#id", limit = 1)
		@GetMapping("/results/deferred/{id}")
		public DeferredResult<String> deferred(@PathVariable("id") String id) {
			DeferredResult<String> result = new DeferredResult<>();
			result.setResult(id);
			return result;
		}

		@PutMapping("/login")
		public String put() {
			return "done";
		}

		@RateLimited(name = "tasks", key = "#agent", limit = 2)
		@RateLimited(name = "daily", key = "#agent", limit = 100, window = "1d")
		@GetMapping("/tasks/{agent}")
		public String task(@PathVariable("agent") String agent) {
			return agent;
		}

		@RateLimited(name = "gone", key = "#agent", limit = 1)
		@GetMapping("/gone/{agent}")
		@ResponseStatus(HttpStatus.NO_CONTENT)
		public void gone(@PathVariable("agent") String agent) {
		}

		@RateLimited(name = "optional", key = "#agent", limit = 100)
		@GetMapping("/optional")
		public String optional(@RequestParam(name = "agent", required = false) String agent) {
			return "done";
		}

		@RateLimited(name = "method", key = "#id", limit = 5)
		@GetMapping("/both/{id}")
		public String both(@PathVariable("id") String id) {
			return "both";
		}

		@RateLimited(name = "strict", limit = 100, onOutage = OutagePolicy.DENY)
		@GetMapping("/strict/call")
		public String strict() {
			return "done";
		}

		@GetMapping("/locked")
		public String locked() {
			throw new LockNotAcquiredException("orders", Duration.ofSeconds(7));
		}

		@GetMapping("/loading")
		public String loading() {
			throw new CacheLoadTimeoutException("orders");
		}

		@GetMapping("/revoked")
		public String revoked() {
			throw new TokenRevokedException(TokenBlacklist.TOKENS, TokenStatus.REVOKED);
		}

		@GetMapping("/failing")
		public String failing() {
			throw new IllegalStateException("of the application");
		}

		@BlacklistCheck(name = "addresses", subject = "#address")
		@GetMapping("/addresses/{address}")
		public String address(@PathVariable("address") String address) {
			return address;
		}

		@BlacklistCheck
		@GetMapping("/token")
		public String token() {
			return "good";
		}

	}

	@RestController
	static class LocalDesk {

		@RateLimited(name = "local", key = "#agent", limit = 1)
		@GetMapping("/local/{agent}")
		public String task(@PathVariable("agent") String agent) {
			return agent;
		}

		@GetMapping("/local-failing")
		public String failing() {
			throw new IllegalStateException("of the application");
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
		public String task(@PathVariable("agent") String agent) {
			return agent;
		}

	}

	@CrossOrigin(PAGE)
	@RestController
	static class OpenDesk {

		@GetMapping("/handler/{id}")
		public String done() {
			return "done";
		}

	}

}
