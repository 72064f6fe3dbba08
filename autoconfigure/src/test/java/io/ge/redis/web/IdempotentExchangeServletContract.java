// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.ContentCachingResponseWrapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Responses that are kept as they were sent, of handlers on Spring MVC, whether they
 * answer when they return or later.
 */
abstract class IdempotentExchangeServletContract extends IdempotentExchangeContract {

	private static volatile String seen = "";

	/**
	 * A filter without an order is through with a response.
	 */
	static void saw(ContentCachingResponseWrapper watched) throws IOException {
		seen = watched.getStatus() + " " + new String(watched.getContentAsByteArray(), StandardCharsets.UTF_8);
		watched.copyBodyToResponse();
	}

	@Override
	Stream<String> server() {
		return Stream.of("spring.mvc.problemdetails.enabled=true",
				"logging.level.org.apache.catalina.core.ContainerBase=OFF");
	}

	@Override
	ConfigurableApplicationContext first() {
		return another("ge.redis.idempotency.witness=off");
	}

	@Test
	void filterWithoutAnOrderSeesTheResponse() {
		for (int call = 0; call < 2; call++) {
			seen = "";
			send(request("/created", "k").header("X-Watched", "true"));
			assertThat(seen).isEqualTo("201 {\"id\":1,\"amount\":1.50}");
		}
	}

	@Test
	void valueIsRenderedAnewWhereTheResponseCouldNotBeMade() {
		HttpResponse<byte[]> first = send(request("/value", "k").header("Accept", "text/csv"));
		assertThat(first.statusCode()).isEqualTo(406);
		HttpResponse<byte[]> again = send(request("/value", "k").header("Accept", "application/json"));
		assertThat(again.statusCode()).isEqualTo(200);
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(text(again)).isEqualTo("{\"id\":1,\"amount\":1.50}");
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void whoIsRefusedAfterTheGuardGetsNothingOfTheKeptResponse() {
		HttpResponse<byte[]> first = post("/created", "k");
		HttpResponse<byte[]> refused = send(request("/created", "k").header("X-Refused", "true"));
		assertThat(refused.statusCode()).isEqualTo(403);
		assertThat(text(refused)).doesNotContain("amount");
		assertThat(refused.headers().map()).doesNotContainKeys("Location", "ETag", "Link", REPLAYED);
		assertThat(post("/created", "k").body()).isEqualTo(first.body());
		assertThat(effects()).isEqualTo(1);
	}

	static class Refusal implements HandlerInterceptor {

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView modelAndView) {
			if (request.getHeader("X-Refused") != null) {
				throw new ResponseStatusException(HttpStatus.FORBIDDEN);
			}
		}

	}

	/**
	 * What is around the handlers.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity
	@Import(Advice.class)
	static class Surroundings {

		@Bean
		WebMvcConfigurer refusals() {
			return new WebMvcConfigurer() {

				@Override
				public void addInterceptors(InterceptorRegistry registry) {
					registry.addInterceptor(new Refusal());
				}

			};
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable()).build();
		}

	}

}
