/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

/**
 * What a method with one of Spring's annotations gives a cache.
 */
class SpringTypesTests {

	private final MockEnvironment environment = new MockEnvironment();

	private final CacheDefinitions definitions = new CacheDefinitions(
			() -> Binder.get(this.environment).bindOrCreate("ge.redis.cache", CacheProperties.class), List::of);

	private final CacheCodec codec = new CacheCodec(JsonMapper::shared, () -> 16384, () -> 0);

	private final SpringTypes types = new SpringTypes(this.definitions, new CacheAttributes(this.definitions,
			this.codec, mock(AttributeReader.class), mock(ExpressionCompiler.class)));

	private static GuardedMethod place(Class<?> declaring, String name, Class<?> target) {
		Method method = ReflectionUtils.findMethod(declaring, name, (Class<?>[]) null);
		assertThat(method).isNotNull();
		return new GuardedMethod(method, target, Cacheable.class);
	}

	static Stream<Arguments> methods() {
		return Stream.of(arguments("number", "java.lang.Integer", false),
				arguments("map", "java.util.Map<java.lang.String,java.util.List<java.lang.Integer>>", false),
				arguments("optional", "java.lang.String", false), arguments("future", "java.lang.String", false),
				arguments("stage", "java.lang.String", false), arguments("mono", "java.lang.String", false),
				arguments("flux", "java.util.List<java.lang.String>", false),
				arguments("optionalFuture", "java.lang.String", true),
				arguments("optionalMono", "java.lang.String", true), arguments("array", "[Ljava.lang.String;", false));
	}

	@ParameterizedTest
	@MethodSource("methods")
	void typeIsThatOfTheValue(String method, String type, boolean optional) {
		SpringValue value = this.types.value(method, place(Desk.class, method, Desk.class), Desk.class);
		assertThat(value.type().javaType().toCanonical()).isEqualTo(type);
		assertThat(value.optional()).isEqualTo(optional);
	}

	@Test
	void typeVariablesAreThoseOfTheInterfaceByWhichTheBeanIsKnown() {
		GuardedMethod place = place(Repository.class, "find", SimpleRepository.class);
		assertThat(this.types.value("items", place, Items.class).type().javaType().toCanonical())
			.isEqualTo("java.lang.Long");
		Object proxy = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Items.class },
				(self, method, args) -> null);
		assertThat(this.types.value("items", place, proxy.getClass()).type().javaType().toCanonical())
			.isEqualTo("java.lang.Long");
	}

	@Test
	void typeIsTheMostSpecialOne() {
		GuardedMethod place = place(Plain.class, "find", Special.class);
		assertThat(this.types.value("items", place, Plain.class).type().javaType().toCanonical())
			.isEqualTo("java.lang.Long");
	}

	@Test
	void typeVariableThatNobodySaysIsRefused() {
		GuardedMethod place = place(Repository.class, "find", SimpleRepository.class);
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> this.types.value("items", place, Repository.class))
			.withMessageContaining("@Cacheable on")
			.withMessageContaining("its return type java.util.Optional<T> does not say")
			.withMessageContaining("overriding it in the interface of the repository")
			.withMessageContaining("ge.redis.cache.caches.items.type");
		this.environment.setProperty("ge.redis.cache.caches.items.type", "java.lang.Long");
		this.definitions.declareConfiguredTypes(this.codec);
		assertThat(this.types.value("items", place, Repository.class).type().javaType().toCanonical())
			.isEqualTo("java.lang.Long");
	}

	@Test
	void boundOfATypeVariableIsNotTheType() {
		GuardedMethod place = place(BoundRepository.class, "find", BoundBase.class);
		assertThat(this.types.value("items", place, BoundItems.class).type().javaType().toCanonical())
			.isEqualTo("java.lang.Long");
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> this.types.value("others", place, BoundRepository.class))
			.withMessageContaining("does not say");
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(
					() -> this.types.value("others", place(BoundBase.class, "any", BoundBase.class), BoundBase.class))
			.withMessageContaining("its return type V does not say");
	}

	interface BoundRepository<T extends Number> {

		Optional<T> find(String id);

	}

	interface BoundItems extends BoundRepository<Long> {

	}

	static class BoundBase<T extends Number> implements BoundRepository<T> {

		@Override
		public Optional<T> find(String id) {
			return Optional.empty();
		}

		<V extends Number> V any(String id) {
			throw new UnsupportedOperationException(id);
		}

	}

	interface Repository<T> {

		Optional<T> find(String id);

	}

	interface Items extends Repository<Long> {

	}

	static class SimpleRepository<T> implements Repository<T> {

		@Override
		public Optional<T> find(String id) {
			return Optional.empty();
		}

	}

	interface Plain {

		Object find(String id);

	}

	static class Special implements Plain {

		@Override
		public Long find(String id) {
			return 1L;
		}

	}

	interface Desk {

		int number();

		Map<String, List<Integer>> map();

		Optional<String> optional();

		CompletableFuture<String> future();

		CompletionStage<String> stage();

		Mono<String> mono();

		Flux<String> flux();

		CompletableFuture<Optional<String>> optionalFuture();

		Mono<Optional<String>> optionalMono();

		String[] array();

	}

}
