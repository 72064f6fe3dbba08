// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session;

import java.util.Map;
import java.util.Objects;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisWebAutoConfiguration;
import io.ge.redis.autoconfigure.SessionAutoConfiguration;
import io.ge.redis.test.SharedRedis;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.session.ReactiveFindByIndexNameSessionRepository;
import org.springframework.session.Session;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebSession;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sessions of a reactive application.
 */
class SessionWebFluxIntegrationTests {

	private final ReactiveWebApplicationContextRunner runner = new ReactiveWebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, GeRedisAutoConfiguration.class,
				GeRedisWebAutoConfiguration.class, SessionAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.session.enabled=true");

	@BeforeEach
	void empty() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void keepsASessionUnderANewIdAfterTheLogin() {
		this.runner.run((context) -> {
			WebTestClient client = WebTestClient.bindToApplicationContext(context).build();
			String before = cookie(client, "/count", "none");
			String after = cookie(client, "/login", before);
			assertThat(after).isNotEqualTo(before);
			assertThat(get(client, "/count", after)).isEqualTo("alice 2");
			assertThat(get(client, "/count", before)).isEqualTo("null 1");
			assertThat(get(client, "/me", after)).isEqualTo("alice");
			ReactiveFindByIndexNameSessionRepository<?> repository = context
				.getBean(ReactiveFindByIndexNameSessionRepository.class);
			Map<String, ? extends Session> found = repository.findByPrincipalName("alice").block();
			assertThat(found).hasSize(1);
			assertThat(context.getBean(Sessions.class).endAll("alice")).isOne();
			assertThat(get(client, "/me", after)).isEqualTo("null");
		});
	}

	@Test
	void refusesRequestsWithASessionDuringAnOutage() {
		this.runner.withPropertyValues("spring.data.redis.port=1", "ge.redis.outage.command-timeout=200ms")
			.run((context) -> WebTestClient.bindToApplicationContext(context)
				.build()
				.get()
				.uri("/me")
				.cookie("SESSION", "any")
				.exchange()
				.expectStatus()
				.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
				.expectHeader()
				.exists("Retry-After")
				.expectCookie()
				.doesNotExist("SESSION"));
	}

	private static String cookie(WebTestClient client, String path, String session) {
		return Objects
			.requireNonNull(client.get()
				.uri(path)
				.cookie("SESSION", session)
				.exchange()
				.expectStatus()
				.isOk()
				.returnResult(String.class)
				.getResponseCookies()
				.getFirst("SESSION"))
			.getValue();
	}

	private static String get(WebTestClient client, String path, String session) {
		return client.get()
			.uri(path)
			.cookie("SESSION", session)
			.exchange()
			.expectBody(String.class)
			.returnResult()
			.getResponseBody();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFlux
	static class Application {

		private static final String PRINCIPAL = ReactiveFindByIndexNameSessionRepository.PRINCIPAL_NAME_INDEX_NAME;

		@Bean
		RouterFunction<ServerResponse> routes() {
			return RouterFunctions.route()
				.GET("/login", Application::login)
				.GET("/count", Application::count)
				.GET("/me", (request) -> request.session().flatMap(Application::name))
				.build();
		}

		private static Mono<ServerResponse> login(ServerRequest request) {
			return request.session()
				.flatMap((session) -> session.changeSessionId().thenReturn(session))
				.flatMap((session) -> {
					session.getAttributes().put(PRINCIPAL, "alice");
					return name(session);
				});
		}

		private static Mono<ServerResponse> count(ServerRequest request) {
			return request.session().flatMap((session) -> {
				int count = session.getAttributeOrDefault("count", 0) + 1;
				session.getAttributes().put("count", count);
				return ServerResponse.ok().bodyValue(session.getAttribute(PRINCIPAL) + " " + count);
			});
		}

		private static Mono<ServerResponse> name(WebSession session) {
			return ServerResponse.ok().bodyValue(String.valueOf(session.<Object>getAttribute(PRINCIPAL)));
		}

	}

}
