/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Type;
import java.time.Instant;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheCodec}, {@link CacheType} and {@link TypeShape}.
 */
class CacheCodecTests {

	private final CacheCodec codec = new CacheCodec(JsonMapper::shared);

	@Test
	void valuesSurvive() {
		Order order = new Order("o", 3, LocalDate.of(2026, 1, 2), List.of(new Line("x", Side.SELL)));
		CacheType type = this.codec.type(Order.class);
		assertThat(type.read(type.write(order)).value()).isEqualTo(order);
		assertThat(type.read(type.write(null)).value()).isNull();
		CacheType map = this.codec.type(new ParameterizedTypeReference<Map<String, List<Line>>>() {
		}.getType());
		Map<String, List<Line>> lines = Map.of("a", order.lines());
		assertThat(map.read(map.write(lines)).value()).isEqualTo(lines);
	}

	@Test
	void shapesOfSubtypesAreChosenByTheApplicationsNames() {
		CacheType type = this.codec.type(Shape.class);
		byte[] bytes = type.write(new Circle(2));
		assertThat(new String(bytes, 6, bytes.length - 6)).isEqualTo("{\"type\":\"circle\",\"radius\":2}");
		assertThat(type.read(bytes).value()).isEqualTo(new Circle(2));
	}

	@Test
	void bytesOfTheFirstFormatStayReadable() {
		CacheType type = this.codec.type(Integer.class);
		assertThat(HexFormat.of().formatHex(type.write(42))).isEqualTo("01231ae200003432");
		assertThat(HexFormat.of().formatHex(type.write(null))).isEqualTo("01231ae20001");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "01", "ff", "01231ae200", "01231ae20000", "01231ae2007b", "01231ae200007b",
			"02d3a1baf0003432", "01000000000003432", "01231ae200006e756c6c", "01231ae2000034327d" })
	void otherBytesAreUnreadable(String hex) {
		byte[] bytes = HexFormat.of().parseHex((hex.length() % 2 == 0) ? hex : hex + "0");
		assertThat(this.codec.type(Integer.class).read(bytes)).isNull();
	}

	@Test
	void anotherTypeIsUnreadable() {
		byte[] bytes = this.codec.type(Line.class).write(new Line("x", Side.BUY));
		assertThat(this.codec.type(Order.class).read(bytes)).isNull();
		assertThat(this.codec.type(OtherLine.class).read(bytes)).isNull();
	}

	@Test
	void shapeChangesWithTheFieldsOfAllReachableTypes() {
		assertThat(shape(Holder.Before.class)).isEqualTo(shape(Holder.Before.class))
			.isNotEqualTo(shape(Holder.After.class));
		assertThat(shape(Line.class)).isNotEqualTo(shape(OtherLine.class));
		assertThat(shape(Tree.class)).isNotZero();
	}

	private int shape(Type type) {
		return TypeShape.of(JsonMapper.shared().constructType(type));
	}

	@Test
	void saysWhichTypesCannotBeReadBack() {
		assertThat(this.codec.obstacle(this.codec.type(Object.class))).isNotNull();
		assertThat(this.codec.obstacle(this.codec.type(Runnable.class))).isNotNull();
		assertThat(this.codec.obstacle(this.codec.type(NoCreator.class))).isNotNull();
		for (Class<?> sound : List.of(Order.class, String.class, Integer.class, int[].class, Instant.class, Side.class,
				Shape.class, Boolean.class, Map.class, List.class)) {
			assertThat(this.codec.obstacle(this.codec.type(sound))).as(sound.getSimpleName()).isNull();
		}
	}

	record Order(String id, int version, LocalDate day, List<Line> lines) {
	}

	record Line(String name, Side side) {
	}

	record OtherLine(String name, Side side, int count) {
	}

	record Tree(List<Tree> children) {
	}

	enum Side {

		BUY, SELL

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
	@JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
	interface Shape {

	}

	record Circle(int radius) implements Shape {
	}

	static class NoCreator {

		private final String text;

		private NoCreator(int number, int other) {
			this.text = "" + number + other;
		}

		public String getText() {
			return this.text;
		}

	}

	static class Holder {

		record Before(Line line) {
		}

		record After(OtherLine line) {
		}

	}

}
