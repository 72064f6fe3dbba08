// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import io.ge.redis.test.OneMethod;
import io.ge.redis.web.exchange.ReactivePrincipals;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.DispatcherHandler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which handlers on WebFlux can be idempotent, and what makes them so.
 */
class IdempotencyWebFluxAutoConfigurationTests {

	private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(DataRedisAutoConfiguration.class,
			GeRedisAutoConfiguration.class, GeRedisWebAutoConfiguration.class, IdempotencyAutoConfiguration.class,
			IdempotencyWebAutoConfiguration.class);

	private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
		.withConfiguration(CONFIGURATIONS);

	@Test
	void requestsAreSeenAsAWhole() {
		this.reactive.withBean(Accepted.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("geRedisIdempotentHandlerAdapter")
				.hasBean("geRedisReactiveRequests")
				.hasSingleBean(IdempotencyKeySource.class)
				.hasBean("geRedisResponseEntityRecorder")
				.doesNotHaveBean("geRedisIdempotencyFilter"));
	}

	@Test
	void staysAwayWhereItIsNotWanted() {
		this.reactive.withPropertyValues("ge.redis.idempotency.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean("geRedisIdempotentHandlerAdapter"));
		this.reactive.withClassLoader(new FilteredClassLoader(DispatcherHandler.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("geRedisIdempotentHandlerAdapter"));
		new WebApplicationContextRunner().withConfiguration(CONFIGURATIONS)
			.withPropertyValues("ge.redis.idempotency.ttl=1d")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotencyKeySource.class)
				.doesNotHaveBean("geRedisIdempotentHandlerAdapter")
				.doesNotHaveBean(Filter.class)
				.hasBean("geRedisIdempotencyFilter"));
	}

	@Test
	void userOfTheExchangeIsFoundWithoutSpringSecurity() {
		ReactiveWebApplicationContextRunner runner = this.reactive
			.withConfiguration(AutoConfigurations.of(GeRedisPrincipalAutoConfiguration.class));
		runner.withClassLoader(new FilteredClassLoader(SecurityContextHolder.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(ReactivePrincipals.class)
				.hasSingleBean(PrincipalProvider.class));
		runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactivePrincipals.class));
	}

	@Test
	void headerThatMustNotBeReplayedFailsTheStart() {
		this.reactive.withPropertyValues("ge.redis.idempotency.replayed-headers=Set-Cookie")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.idempotency.replayed-headers"));
	}

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, PlainEntity.class, Future.class })
	void handlerThatReturnsNoPublisherFailsTheStart(Class<?> handler) {
		this.reactive.withBean(handler)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining(handler.getSimpleName())
				.hasMessageContaining("a handler on WebFlux that returns no publisher cannot be guarded"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "events", "buffers", "lines" })
	void responseInPiecesFailsTheStart(String method) {
		Class<?> handler = OneMethod.of(InPieces.class, method);
		this.reactive.withClassLoader(handler.getClassLoader())
			.withBean(handler)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining(handler.getSimpleName())
				.hasMessageContaining("piece by piece"));
	}

	@RestController
	static class Accepted {

		@PostMapping("/one")
		@Idempotent
		public Mono<String> one() {
			return Mono.empty();
		}

		@PostMapping("/several")
		@Idempotent
		public Flux<String> several() {
			return Flux.empty();
		}

	}

	@RestController
	static class Plain {

		@PostMapping("/")
		@Idempotent
		public String handle() {
			return "";
		}

	}

	@Controller
	static class PlainEntity {

		@PostMapping("/")
		@Idempotent(key = "'1'")
		public ResponseEntity<String> handle() {
			return ResponseEntity.ok("");
		}

	}

	@RestController
	static class Future {

		@PostMapping("/")
		@Idempotent
		public CompletableFuture<String> handle() {
			return CompletableFuture.completedFuture("");
		}

	}

	@RestController
	interface InPieces {

		@PostMapping("/")
		@Idempotent
		Flux<ServerSentEvent<String>> events();

		@PostMapping("/")
		@Idempotent
		Flux<DataBuffer> buffers();

		@PostMapping(path = "/", produces = MediaType.APPLICATION_NDJSON_VALUE)
		@Idempotent
		Flux<String> lines();

	}

}
