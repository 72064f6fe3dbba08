// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonPOJOBuilder;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.std.ToStringSerializer;

import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RoundTrip}.
 */
class RoundTripTests {

	private static @Nullable String obstacle(Type type) {
		return obstacle(JsonMapper.shared(), type);
	}

	private static @Nullable String obstacle(JsonMapper mapper, Type type) {
		return new RoundTrip(mapper, new ObjectFields(mapper)).obstacle(mapper.constructType(type));
	}

	@ParameterizedTest
	@ValueSource(classes = { String.class, Integer.class, int[].class, byte[].class, Instant.class, UUID.class,
			URI.class, BigDecimal.class, Side.class, Map.class, List.class, Order.class, Tree.class, Strict.class,
			Derived.class, Bean.class, Built.class, Shape.class, HasShape.class, Masked.class, Code.class,
			Unwrapping.class, Ignoring.class, Growing.class, Marker.class, AllIgnored.class, Opaque.class })
	void soundTypesPass(Class<?> type) {
		assertThat(obstacle(type)).isNull();
	}

	@Test
	void genericTypesPass() {
		assertThat(obstacle(new ParameterizedTypeReference<Map<String, List<Order>>>() {
		}.getType())).isNull();
		assertThat(obstacle(new ParameterizedTypeReference<Map<Side, Set<Line>>>() {
		}.getType())).isNull();
		assertThat(obstacle(new ParameterizedTypeReference<Optional<Order>>() {
		}.getType())).isNull();
	}

	@Test
	void namesOfTheApplicationsMapperAreUsed() {
		JsonMapper snake = JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
		assertThat(obstacle(snake, Order.class)).isNull();
		assertThat(obstacle(snake, Changing.class)).contains("Changing");
	}

	@Test
	void typeOfNoKnownContentIsFound() {
		assertThat(obstacle(Object.class)).contains("says nothing");
	}

	@Test
	void abstractTypeIsFoundWhereverItStands() {
		assertThat(obstacle(Runnable.class)).contains("java.lang.Runnable");
		assertThat(obstacle(HasAbstract.class)).contains("Work").contains("work");
		assertThat(obstacle(new ParameterizedTypeReference<List<HasAbstract>>() {
		}.getType())).contains("Work");
	}

	@Test
	void typeWithoutWayToMakeItIsFound() {
		assertThat(obstacle(NoCreator.class)).contains("NoCreator");
	}

	@Test
	void stateOfWhichNothingIsWrittenIsFoundWhereverItStands() {
		String reason = "nothing is written of " + Hidden.class.getName() + ", although it has the field 'id'";
		assertThat(obstacle(Hidden.class)).isEqualTo(reason);
		assertThat(obstacle(HasHidden.class)).isEqualTo(reason);
		assertThat(obstacle(new ParameterizedTypeReference<Map<String, List<HasHidden>>>() {
		}.getType())).isEqualTo(reason);
		JsonMapper fields = JsonMapper.builder()
			.changeDefaultVisibility((visible) -> visible.withFieldVisibility(Visibility.ANY))
			.build();
		assertThat(obstacle(fields, HasHidden.class)).isNull();
	}

	@Test
	void valueThatChangesOnItsWayIsFound() {
		assertThat(obstacle(Changing.class))
			.isEqualTo("a java.lang.Integer is read back as another one, in 'count' of " + Changing.class.getName());
	}

	record Order(String id, int version, @Nullable Instant at, List<Line> lineItems, Optional<String> note,
			Map<String, BigDecimal> totals, EnumMap<Side, Integer> counts, long[] sequence, boolean open, char grade) {
	}

	record Line(String name, Side side) {
	}

	record Tree(String name, List<Tree> children) {
	}

	enum Side {

		BUY, SELL

	}

	record Strict(String text) {

		Strict {
			if (text.length() < 5) {
				throw new IllegalArgumentException("Too short");
			}
			Objects.requireNonNull(text);
		}

	}

	record Derived(String first, String last) {

		@JsonProperty
		String full() {
			return this.first + this.last;
		}

	}

	static class Bean {

		private String text = "";

		public String getText() {
			return this.text;
		}

		public void setText(String text) {
			this.text = text;
		}

		public int getLength() {
			return this.text.length();
		}

	}

	@JsonDeserialize(builder = Built.Builder.class)
	static final class Built {

		private final String text;

		private Built(String text) {
			this.text = text;
		}

		public String getText() {
			return this.text;
		}

		@JsonPOJOBuilder(withPrefix = "")
		static class Builder {

			private String text = "";

			Builder text(String text) {
				this.text = text;
				return this;
			}

			Built build() {
				return new Built(this.text);
			}

		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
	@JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
	interface Shape {

	}

	record Circle(int radius) implements Shape {
	}

	record HasShape(Shape shape, String name) {
	}

	record Masked(@JsonProperty(access = JsonProperty.Access.READ_ONLY) String card, String name) {
	}

	record Code(@JsonValue String text) {

		@JsonCreator
		static Code of(String text) {
			return new Code(text);
		}

	}

	record Unwrapping(@JsonUnwrapped Line line, int count) {
	}

	static class Ignoring {

		@JsonIgnore
		private int hits;

		public String name = "";

		public int getHits() {
			return this.hits;
		}

	}

	static class Hidden {

		String id = "";

	}

	record HasHidden(String name, Optional<Hidden> hidden) {
	}

	static class Marker {

		transient int hits;

	}

	static class AllIgnored {

		@JsonIgnore
		int hits;

	}

	@JsonSerialize(using = ToStringSerializer.class)
	static class Opaque {

		private final String text;

		Opaque(String text) {
			this.text = text;
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	static class Growing {

		private static int written;

		public int getWritten() {
			return written++;
		}

	}

	interface Work {

		void run();

	}

	record HasAbstract(String name, Work work) {
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

	static class Changing {

		private int count;

		public int getCount() {
			return this.count;
		}

		public void setCount(int count) {
			this.count = count + 1;
		}

	}

}
