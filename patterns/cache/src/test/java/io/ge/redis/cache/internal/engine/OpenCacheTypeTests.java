// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link OpenCacheType}.
 */
class OpenCacheTypeTests {

	private final CacheType type = codec().open();

	private static CacheCodec codec() {
		return new CacheCodec(JsonMapper::shared, () -> 16384, () -> 0);
	}

	private static byte[] bytes(CacheType used, @Nullable Object value) {
		CacheType exact = (value != null) ? used.of(value) : used;
		assertThat(exact).isNotNull();
		return exact.write(value, CacheHeader.loadedIn(5));
	}

	static Stream<Arguments> values() {
		String order = Order.class.getName();
		return Stream.of(arguments("a", "java.lang.String"), arguments(1L, "java.lang.Long"),
				arguments(TimeUnit.DAYS, "java.util.concurrent.TimeUnit"), arguments(new Order("a"), order),
				arguments(List.of(new Order("a")), "java.util.List<" + order + ">"),
				arguments(new ArrayList<>(Arrays.asList(null, new Order("a"))), "java.util.List<" + order + ">"),
				arguments(new TreeSet<>(List.of(1)), "java.util.TreeSet<java.lang.Integer>"),
				arguments(Map.of("a", List.of(new Order("a"))),
						"java.util.Map<java.lang.String,java.util.List<" + order + ">>"),
				arguments(Optional.of(new Order("a")), "java.util.Optional<" + order + ">"),
				arguments(List.of(), "java.util.List<java.lang.String>"));
	}

	@ParameterizedTest
	@MethodSource("values")
	void valueIsReadAsWhatItWas(Object value, String name) {
		assertThat(this.type.of(value).javaType().toCanonical()).isEqualTo(name);
		assertThat(this.type.read(bytes(this.type, value)).value()).isEqualTo(value);
	}

	@Test
	void contentOfSeveralTypesHasNone() {
		for (Object value : List.of(List.of(1, "a"), Map.of("a", 1, "b", "c"), new Box<>("a"),
				List.of(List.of(1), List.of("a")))) {
			assertThat(this.type.of(value)).isNull();
		}
	}

	@Test
	void absenceIsReadWhoeverHasWrittenIt() {
		CacheCodec codec = codec();
		assertThat(codec.open().read(bytes(codec.open(), null)).value()).isNull();
		assertThat(codec.open().read(bytes(codec.type(Order.class), null)).value()).isNull();
	}

	@Test
	void classThatNobodyHasToldIsNotRead() {
		byte[] bytes = bytes(this.type, new Order("a"));
		CacheCodec other = codec();
		assertThat(other.open().read(bytes)).isNull();
		other.type(Order.class);
		assertThat(other.open().read(bytes).value()).isEqualTo(new Order("a"));
	}

	@Test
	void entryIsThatOfADeclaredType() {
		CacheCodec codec = codec();
		byte[] declared = bytes(codec.type(Order.class), new Order("a"));
		assertThat(bytes(codec.open(), new Order("a"))).isEqualTo(declared);
		assertThat(codec.open().read(declared).value()).isEqualTo(new Order("a"));
	}

	@Test
	void otherBytesAreNone() {
		for (byte[] bytes : new byte[][] { {}, { CacheHeader.FORMAT }, new byte[30], new byte[40], { 1, 2, 3 } }) {
			assertThat(this.type.read(bytes)).isNull();
		}
		byte[] forged = bytes(this.type, new Order("a"));
		forged[1]++;
		assertThat(this.type.read(forged)).isNull();
	}

	record Order(String id) {
	}

	record Box<T>(T content) {
	}

}
