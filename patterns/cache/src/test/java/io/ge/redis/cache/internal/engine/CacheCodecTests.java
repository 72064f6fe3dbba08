// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.lang.reflect.Type;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CacheCodec}, {@link CacheType} and {@link TypeShape}.
 */
class CacheCodecTests {

	private final CacheCodec codec = new CacheCodec(JsonMapper::shared, () -> 16384, () -> 0);

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
	void settingsThatChangeValuesDoNotApply() {
		JsonMapper application = JsonMapper.builder()
			.defaultTimeZone(TimeZone.getTimeZone("Pacific/Auckland"))
			.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
			.build();
		CacheType type = new CacheCodec(() -> application, () -> 16384, () -> 0).type(Visit.class);
		Visit visit = new Visit(OffsetDateTime.parse("2026-01-01T23:00:00-11:00"));
		byte[] bytes = type.write(visit);
		assertThat(new String(bytes, 30, bytes.length - 30)).isEqualTo("{\"first_at\":\"2026-01-01T23:00:00-11:00\"}");
		assertThat(type.read(bytes).value()).isEqualTo(visit);
	}

	@Test
	void whatADeserializerOfTheApplicationRefusesIsNotRead() {
		CacheType type = this.codec.type(Refused.class);
		assertThat(type.read(type.write(new Refused("x")))).isNull();
	}

	@Test
	void shapesOfSubtypesAreChosenByTheApplicationsNames() {
		CacheType type = this.codec.type(Shape.class);
		byte[] bytes = type.write(new Circle(2));
		assertThat(new String(bytes, 30, bytes.length - 30)).isEqualTo("{\"type\":\"circle\",\"radius\":2}");
		assertThat(type.read(bytes).value()).isEqualTo(new Circle(2));
	}

	@Test
	void bytesOfThisFormatStayReadable() {
		CacheType type = this.codec.type(Integer.class);
		String number = "04231ae200000000000000000000000000000000000000000000000000003432";
		String absence = "04231ae20001000000000000000000000000000000000000000000000000";
		String loadedInASecondKeptForAnHour = "04231ae20000000003e80036ee80000000000000000000000000000000003432";
		String stampedAndTagged = "04231ae20004000000000000000000000000000000070000000000000000020000000000000001ffffffffffffffff3432";
		assertThat(hex(type.write(42))).isEqualTo(number);
		assertThat(hex(type.write(null))).isEqualTo(absence);
		assertThat(hex(type.write(42, new CacheHeader(1000, 3_600_000, 0)))).isEqualTo(loadedInASecondKeptForAnHour);
		assertThat(hex(type.write(42, CacheHeader.NONE.marked(7, 1, -1)))).isEqualTo(stampedAndTagged);
		assertThat(type.read(bytes(number))).isEqualTo(new CacheType.Content(42, CacheHeader.NONE));
		assertThat(type.read(bytes(absence))).isEqualTo(new CacheType.Content(null, CacheHeader.NONE));
		assertThat(type.read(bytes(loadedInASecondKeptForAnHour)))
			.isEqualTo(new CacheType.Content(42, new CacheHeader(1000, 3_600_000, 0)));
		assertThat(type.read(bytes(stampedAndTagged)))
			.isEqualTo(new CacheType.Content(42, new CacheHeader(0, 0, 7, 1, -1)));
	}

	@Test
	void compressedBytesOfThisFormatStayReadable() {
		byte[] bytes = bytes("045a7dc7b6020000000000000000000000000000000000000000000000007801534a24122801004bcb0f6d");
		assertThat(this.codec.type(String.class).read(bytes))
			.isEqualTo(new CacheType.Content("a".repeat(40), CacheHeader.NONE));
	}

	@ParameterizedTest
	@ValueSource(strings = { "01231ae200003432", "01231ae20001", "02231ae20000000000000000000000000000000000003432",
			"03231ae20000000000000000000000000000000000003432" })
	void bytesOfEarlierFormatsAreAMiss(String hex) {
		assertThat(this.codec.type(Integer.class).read(bytes(hex))).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "04", "ff", "04231ae200", "04231ae200000000000000000000000000000000000000000000000000",
			"04231ae20000000000000000000000000000000000000000000000000000",
			"04231ae200000000000000000000000000000000000000000000000000007b",
			"04d3a1baf000000000000000000000000000000000000000000000000000003432",
			"04000000000000000000000000000000000000000034000000000000000032",
			"04231ae200000000000000000000000000000000000000000000000000006e756c6c",
			"04231ae2000000000000000000000000000000000000000000000000000034327d",
			"04231ae2000200000000000000000000000000000000000000000000000034327d",
			"04231ae20004000000000000000000000000000000000000000000000000",
			"04231ae200040000000000000000000000000000000000000000000000000200000000000000013432" })
	void otherBytesAreUnreadable(String hex) {
		assertThat(this.codec.type(Integer.class).read(bytes(hex))).isNull();
	}

	@Test
	void largeValuesAreCompressedWhereThatMakesThemSmaller() {
		CacheType type = new CacheCodec(JsonMapper::shared, () -> 100, () -> 0).type(String.class);
		assertThat(type.write("a".repeat(98))).as("up to the threshold").hasSize(130);
		assertThat(type.write("a".repeat(99))).as("above it").hasSizeLessThan(60);
		CacheType eager = new CacheCodec(JsonMapper::shared, () -> 0, () -> 0).type(String.class);
		assertThat(eager.write("abcdefghij")).as("no smaller").hasSize(42);
		assertThat(eager.read(eager.write("abcdefghij")).value()).isEqualTo("abcdefghij");
		byte[] damaged = type.write("a".repeat(1000));
		damaged[damaged.length - 1]++;
		assertThat(type.read(damaged)).isNull();
		assertThat(type.read(Arrays.copyOf(damaged, damaged.length - 6))).isNull();
	}

	private static byte[] bytes(String hex) {
		return HexFormat.of().parseHex(hex);
	}

	private static String hex(byte[] bytes) {
		return HexFormat.of().formatHex(bytes);
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

	record Visit(OffsetDateTime firstAt) {
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

	/**
	 * Can be written.
	 *
	 * @param name something
	 */
	@JsonDeserialize(using = Refusing.class)
	record Refused(String name) {
	}

	static final class Refusing extends ValueDeserializer<Refused> {

		@Override
		public Refused deserialize(JsonParser parser, DeserializationContext context) {
			throw new IllegalArgumentException("refused");
		}

	}

}
