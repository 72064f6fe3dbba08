/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.json;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RoundTrips}.
 */
class RoundTripsTests {

	private static final Type LINES = new ParameterizedTypeReference<List<Line>>() {
	}.getType();

	private static final Type ANYTHING = new ParameterizedTypeReference<Map<String, Object>>() {
	}.getType();

	private final RoundTrips roundTrips = new RoundTrips(JsonMapper::shared, () -> 0);

	static Stream<Arguments> valuesThatComeBack() {
		ProxyFactory proxy = new ProxyFactory(new Bean("a"));
		proxy.setProxyTargetClass(true);
		Map<String, Object> anything = new HashMap<>();
		anything.put("amount", new BigDecimal("1.50"));
		anything.put("count", 5L);
		anything.put("at", Instant.EPOCH);
		anything.put("line", new Line("a", 1));
		anything.put("nothing", null);
		return Stream.of(arguments(String.class, "a"), arguments(byte[].class, new byte[] { 1 }),
				arguments(double[].class, new double[] { 0.1 }), arguments(BigDecimal.class, new BigDecimal("1.50")),
				arguments(Instant.class, Instant.now()), arguments(Duration.class, Duration.ofMillis(1500)),
				arguments(ZonedDateTime.class, ZonedDateTime.parse("2026-01-01T10:00:00+01:00[Europe/Berlin]")),
				arguments(TimeUnit.class, TimeUnit.DAYS), arguments(UUID.class, UUID.randomUUID()),
				arguments(LINES, List.of(new Line("a", 1))), arguments(LINES, new ArrayList<>()),
				arguments(LINES, Arrays.asList(null, new Line("a", 1))),
				arguments(Sets.class, new Sets(Set.of("a", "b", "c", "d"), new HashSet<>(Arrays.asList("x", null)))),
				arguments(ANYTHING, anything), arguments(Order.class, new Order("o", Optional.of(new Line("a", 1)))),
				arguments(Shape.class, new Circle(1)), arguments(Bean.class, new Bean("a")),
				arguments(Bean.class, proxy.getProxy()), arguments(Bean.class, mock(Bean.class)),
				arguments(AllArguments.class, new AllArguments("a", LocalDate.EPOCH)),
				arguments(Ignoring.class, new Ignoring("a")), arguments(Entity.class, new Entity("a")),
				arguments(Clock.class, new Clock()));
	}

	@ParameterizedTest
	@MethodSource
	void valuesThatComeBack(Type type, Object value) {
		assertThat(loss(type, value)).isNull();
	}

	static Stream<Arguments> valuesThatDoNot() {
		return Stream.of(arguments(Hidden.class, new Hidden("a"), "[id]"),
				arguments(ANYTHING, Map.of("secret", new Hidden("a")), "something else"),
				arguments(new ParameterizedTypeReference<List<Hidden>>() {
				}.getType(), List.of(new Hidden("a")), "Hidden is read back as something else"),
				arguments(Partly.class, new Partly("a", "b"), "[tags]"),
				arguments(Bean.class, new MoreThanBean("a", 1), "[more]"),
				arguments(ReadOnly.class, new ReadOnly("a"), "[text]"),
				arguments(NoCreator.class, new NoCreator("a", 1), "cannot be read back"),
				arguments(Strict.class, new Strict("secret"), "cannot be read back"),
				arguments(CharSequence.class, new StringBuilder("a"), "is read back as a java.lang.String"));
	}

	@ParameterizedTest
	@MethodSource
	void valuesThatDoNot(Type type, Object value, String reason) {
		assertThat(loss(type, value)).contains(reason).doesNotContain("secret");
	}

	@Test
	void oneValueOfEachClassIsComparedAndMoreIfAskedFor() {
		AtomicInteger compared = new AtomicInteger();
		Type type = new ParameterizedTypeReference<List<Counted>>() {
		}.getType();
		List<Counted> list = List.of(new Counted(compared));
		assertThat(loss(type, List.of())).isNull();
		assertThat(loss(type, list)).isNull();
		int once = compared.get();
		assertThat(once).isPositive();
		assertThat(loss(type, list)).isNull();
		assertThat(compared).hasValue(once);
		RoundTrips always = new RoundTrips(JsonMapper::shared, () -> 1);
		always.loss(JsonMapper.shared().constructType(type), list);
		always.loss(JsonMapper.shared().constructType(type), list);
		assertThat(compared).hasValue(3 * once);
	}

	@Test
	void valueThatComesBackSaysNothingOfOthersThatDoNot() {
		assertThat(loss(Bean.class, new Bean("a"))).isNull();
		assertThat(loss(Bean.class, new MoreThanBean("a", 1))).isNotNull();
		assertThat(loss(Partly.class, new Partly(null, "b"))).isNull();
		assertThat(loss(LINES, List.of())).isNull();
		assertThat(loss(new ParameterizedTypeReference<List<ReadOnly>>() {
		}.getType(), List.of(new ReadOnly("a")))).isNotNull();
	}

	@Test
	void entityWhoseFieldsNobodyShowsIsRefusedByItsType() {
		assertThat(this.roundTrips.obstacle(JsonMapper.shared().constructType(HiddenEntity.class)))
			.contains(HiddenEntity.class.getName(), "nothing is written");
	}

	private @Nullable String loss(Type type, @Nullable Object value) {
		return this.roundTrips.loss(JsonMapper.shared().constructType(type), value);
	}

	record Line(String name, int count) {
	}

	record Order(String id, Optional<Line> line) {
	}

	record Sets(Set<String> names, Set<String> others) {
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
	@JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
	sealed interface Shape permits Circle {

	}

	record Circle(int radius) implements Shape {
	}

	static class Bean {

		private @Nullable String text;

		private final ReentrantLock lock = new ReentrantLock();

		Bean() {
		}

		Bean(String text) {
			this.text = text;
		}

		public @Nullable String getText() {
			return this.text;
		}

		public void setText(@Nullable String text) {
			this.lock.lock();
			this.text = text;
			this.lock.unlock();
		}

		public int getLength() {
			return (getText() != null) ? getText().length() : 0;
		}

	}

	static class MoreThanBean extends Bean {

		private final int more;

		MoreThanBean(String text, int more) {
			super(text);
			this.more = more;
		}

		public int getMore() {
			return this.more;
		}

	}

	static final class AllArguments {

		private final String text;

		private final LocalDate day;

		public AllArguments(String text, LocalDate day) {
			this.text = text;
			this.day = day;
		}

		public String getText() {
			return this.text;
		}

		public LocalDate getDay() {
			return this.day;
		}

	}

	static class Ignoring {

		public String text = "";

		@JsonIgnore
		private @Nullable String ignored;

		private @Nullable String ignoredByGetter;

		private transient @Nullable String passing;

		Ignoring() {
		}

		Ignoring(String text) {
			this.text = text;
			this.ignored = text;
			this.ignoredByGetter = text;
			this.passing = text;
		}

		@JsonIgnore
		public @Nullable String getIgnoredByGetter() {
			return this.ignoredByGetter;
		}

	}

	// What an entity may have: a service, itself where it is ignored, its hash code
	static class Entity {

		public String id = "";

		private final Runnable listener = () -> {
		};

		@JsonIgnore
		public List<Entity> others = new ArrayList<>();

		private int hash;

		Entity() {
		}

		Entity(String id) {
			this.id = id;
			this.others.add(this);
			this.listener.run();
			this.hash = hashCode();
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Entity entity && entity.id.equals(this.id);
		}

		@Override
		public int hashCode() {
			return this.id.hashCode();
		}

	}

	static class Clock {

		private static final AtomicInteger TICKS = new AtomicInteger();

		public int getTime() {
			return TICKS.incrementAndGet();
		}

	}

	static class Hidden {

		String id = "";

		Hidden() {
		}

		Hidden(String id) {
			this.id = id;
		}

	}

	// Equal by what is written, as many entities are
	static class Partly {

		private @Nullable String id;

		private List<String> tags = new ArrayList<>();

		Partly() {
		}

		Partly(@Nullable String tag, String id) {
			this.id = id;
			if (tag != null) {
				this.tags.add(tag);
			}
		}

		public @Nullable String getId() {
			return this.id;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Partly partly && String.valueOf(partly.id).equals(this.id);
		}

		@Override
		public int hashCode() {
			return String.valueOf(this.id).hashCode();
		}

	}

	record ReadOnly(@JsonProperty(access = Access.READ_ONLY) String text) {
	}

	static class NoCreator {

		private final String text;

		private NoCreator(String text, int other) {
			this.text = text + other;
		}

		public String getText() {
			return this.text;
		}

	}

	record Strict(String text) {

		private static int made;

		Strict {
			if (made++ > 0) {
				throw new IllegalArgumentException(text);
			}
		}

	}

	record Counted(@JsonIgnore AtomicInteger written) {

		@JsonProperty
		String text() {
			if (this.written != null) {
				this.written.incrementAndGet();
			}
			return "a";
		}

	}

	@jakarta.persistence.Entity
	static class HiddenEntity {

		@Id
		private long id;

		private @Nullable String text;

		protected HiddenEntity() {
		}

	}

}
