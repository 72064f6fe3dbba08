// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What is written without its declared type is read by that.
 */
class JsonPayloadsTests {

	private final JsonMapper mapper = JsonMapper.shared();

	private final JsonPayloads payloads = new JsonPayloads(() -> this.mapper);

	@ParameterizedTest
	@MethodSource
	void isReadByItsDeclaredType(Object payload, TypeReference<?> declared) {
		byte[] written = this.payloads.write(payload, "a test");
		Object read = this.mapper.readValue(written, declared);
		assertThat(read).as(new String(written, StandardCharsets.UTF_8)).isEqualTo(payload);
	}

	static Stream<Arguments> isReadByItsDeclaredType() {
		Shape circle = new Circle(2);
		Shape square = new Square(3);
		return Stream.of(arguments(circle, new TypeReference<Shape>() {
		}), arguments(List.of(circle, square), new TypeReference<List<Shape>>() {
		}), arguments(Map.of("one", circle), new TypeReference<Map<String, Shape>>() {
		}), arguments(List.of(List.of(square)), new TypeReference<List<List<Shape>>>() {
		}), arguments(Optional.of(circle), new TypeReference<Optional<Shape>>() {
		}), arguments(new Box<>(square), new TypeReference<Box<Shape>>() {
		}), arguments(new Box<>(List.of(square, circle)), new TypeReference<Box<List<Shape>>>() {
		}), arguments(List.of(new Box<>(circle)), new TypeReference<List<Box<Shape>>>() {
		}), arguments(new Drawing("d", List.of(circle), square, Optional.of(circle)), new TypeReference<Drawing>() {
		}), arguments(List.of("plain", "text"), new TypeReference<List<String>>() {
		}));
	}

	@ParameterizedTest
	@MethodSource
	void isWrittenAsTheApplicationDoesWhereTheTypeShows(Object payload) {
		assertThat(this.payloads.write(payload, "a test")).isEqualTo(this.mapper.writeValueAsBytes(payload));
	}

	static Stream<Object> isWrittenAsTheApplicationDoesWhereTheTypeShows() {
		Shape circle = new Circle(2);
		return Stream.of(circle, new Drawing("d", List.of(circle), circle, Optional.empty()), Map.of("a", List.of(1)),
				new Shape[] { circle }, "text");
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes({ @JsonSubTypes.Type(value = Circle.class, name = "circle"),
			@JsonSubTypes.Type(value = Square.class, name = "square") })
	interface Shape {

	}

	record Circle(int radius) implements Shape {
	}

	record Square(int side) implements Shape {
	}

	record Box<T>(T content) {
	}

	record Drawing(String name, List<Shape> all, Shape first, Optional<Shape> maybe) {
	}

}
