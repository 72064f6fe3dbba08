// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.call.OngoingResults;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.ResponseEntity;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.reactive.result.view.FragmentsRendering;
import org.springframework.web.reactive.result.view.Rendering;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The rule of "Rules for return types" in {@code docs/calling-styles.md}, on results of
 * Spring MVC and WebFlux.
 */
class ReturnTypesTests {

	@ParameterizedTest
	@CsvSource({ "value, PLAIN", "object, PLAIN", "generic, PLAIN", "bounded, PLAIN", "entity, PLAIN",
			"wildcard, PLAIN", "list, PLAIN", "future, FUTURE", "mono, SINGLE", "flux, MULTIPLE",
			"monoOfEntity, SINGLE", "monoOfAnything, SINGLE" })
	void followsTheResultItself(String method, ResultForm.Kind kind) {
		assertThat(ReturnTypes.form(method(Accepted.class, method)).kind()).isEqualTo(kind);
	}

	@Test
	void resolvesTheTypeAgainstTheClassOfTheBean() {
		assertThat(ReturnTypes.form(method(OfFuture.class, "run"))).isEqualTo(ResultForm.FUTURE);
		assertThat(ReturnTypes.form(method(OfMono.class, "run")).kind()).isEqualTo(ResultForm.Kind.SINGLE);
		assertThat(ReturnTypes.form(method(OfText.class, "run"))).isEqualTo(ResultForm.PLAIN);
		assertRefused(method(OfMono.class, "held"), "ResponseEntity<Mono<String>>", "Mono");
		assertRefused(method(OfText.class, "later"), "Future", null);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			entityOfFlux     | ResponseEntity<Flux<String>>       | Flux
			entityOfFuture   | ResponseEntity<CompletableFuture<String>> | CompletableFuture
			monoOfEntity     | Mono<ResponseEntity<Flux<String>>> | Flux
			futureOfEntity   | CompletableFuture<ResponseEntity<Flux<String>>> | Flux
			optional         | Optional<Mono<String>>             | Mono
			futureOfMono     | CompletableFuture<Mono<String>>    | Mono
			fluxOfMono       | Flux<Mono<String>>                 | Mono
			list             | List<CompletableFuture<String>>    | CompletableFuture
			map              | Map<String, Optional<Flux<String>>> | Flux
			array            | Mono<String>[]                     | Mono
			bounded          | ResponseEntity<Flux<String>>       | Flux
			supplier         | Supplier<Mono<String>>             | Mono
			futureOfRendering | CompletableFuture<Rendering>      | Rendering
			rendering        | Rendering                          |
			fragments        | FragmentsRendering                 |
			task             | Future                             |
			""")
	void refusesWhatGoesOnInsideOfTheResult(String method, String type, @Nullable String inside) {
		assertRefused(method(Refused.class, method), type, inside);
	}

	private static void assertRefused(GuardedMethod method, String type, @Nullable String inside) {
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> ReturnTypes.form(method))
			.withMessageContaining("the return type " + type + " cannot be guarded"
					+ ((inside != null) ? ", because the work of the " + inside + " inside continues" : "."))
			.withMessageContaining("Return the plain value");
	}

	@Test
	void findsWhatNoTypeShowsInTheValue() {
		assertThat(OngoingResults.find(ResponseEntity.ok(Flux.just("")))).isAssignableTo(Flux.class);
		assertThat(OngoingResults.find(Optional.of(new CompletableFuture<>()))).isEqualTo(CompletableFuture.class);
		assertThat(OngoingResults.find(Rendering.view("home").build())).isAssignableTo(Rendering.class);
		assertThat(OngoingResults.find(Optional.of(ResponseEntity.ok(Mono.just(""))))).isAssignableTo(Mono.class);
		assertThat(OngoingResults.find(ResponseEntity.ok("done"))).isNull();
		assertThat(OngoingResults.find(ResponseEntity.noContent().build())).isNull();
		assertThat(OngoingResults.find("done")).isNull();
		assertThat(OngoingResults.find((Object) null)).isNull();
	}

	@Test
	void refusesWhatSpringMvcWorksOnLaterWhereAGuardHasToLast() {
		for (String name : List.of("emitter", "emitterLater", "stream", "streamLater", "callable")) {
			assertThatExceptionOfType(GuardConfigurationException.class)
				.isThrownBy(() -> ReturnTypes.requireOverWhenReturned(method(Late.class, name)))
				.withMessageContaining("is worked on after the method has returned");
		}
		ReturnTypes.requireOverWhenReturned(method(Late.class, "factory"));
		ReturnTypes.requireOverWhenReturned(method(Accepted.class, "monoOfEntity"));
	}

	private static GuardedMethod method(Class<?> type, String name) {
		Method found = List.of(ReflectionUtils.getUniqueDeclaredMethods(type))
			.stream()
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
		return new GuardedMethod(found, type, GetMapping.class);
	}

	interface Accepted {

		String value();

		Object object();

		<R> R generic();

		<R extends Comparable<R>> List<R> bounded();

		ResponseEntity<String> entity();

		ResponseEntity<?> wildcard();

		List<Optional<String>> list();

		CompletableFuture<String> future();

		Mono<String> mono();

		Flux<String> flux();

		Mono<ResponseEntity<List<String>>> monoOfEntity();

		Mono<?> monoOfAnything();

	}

	abstract static class Task<R> {

		abstract R run();

		abstract ResponseEntity<R> held();

		abstract Future<R> later();

	}

	abstract static class OfFuture extends Task<CompletableFuture<String>> {

	}

	abstract static class OfMono extends Task<Mono<String>> {

	}

	abstract static class OfText extends Task<String> {

	}

	interface Refused {

		ResponseEntity<Flux<String>> entityOfFlux();

		ResponseEntity<CompletableFuture<String>> entityOfFuture();

		Mono<ResponseEntity<Flux<String>>> monoOfEntity();

		CompletableFuture<ResponseEntity<Flux<String>>> futureOfEntity();

		Optional<Mono<String>> optional();

		CompletableFuture<Mono<String>> futureOfMono();

		Flux<Mono<String>> fluxOfMono();

		List<CompletableFuture<String>> list();

		Map<String, Optional<Flux<String>>> map();

		Mono<String>[] array();

		ResponseEntity<? extends Flux<String>> bounded();

		Supplier<Mono<String>> supplier();

		CompletableFuture<Rendering> futureOfRendering();

		Rendering rendering();

		FragmentsRendering fragments();

		Future<String> task();

	}

	interface Late {

		SseEmitter emitter();

		CompletableFuture<SseEmitter> emitterLater();

		ResponseEntity<StreamingResponseBody> stream();

		Mono<ResponseEntity<StreamingResponseBody>> streamLater();

		@GetMapping
		Callable<String> callable();

		Callable<String> factory();

	}

}
