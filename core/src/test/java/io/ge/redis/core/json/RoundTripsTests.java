// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.text.SimpleDateFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Date;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonProperty.Access;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.ext.javatime.ser.LocalDateTimeSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link RoundTrips} with {@link StoredJson}, in the order of the rule in
 * {@code docs/stored-values.md}.
 */
class RoundTripsTests {

	private static final Type LINES = new ParameterizedTypeReference<List<Line>>() {
	}.getType();

	private static final Type BASES = new ParameterizedTypeReference<List<Base>>() {
	}.getType();

	private static final Type ANYTHING = new ParameterizedTypeReference<Map<String, Object>>() {
	}.getType();

	private static final Type ANY_LIST = new ParameterizedTypeReference<List<?>>() {
	}.getType();

	private static final Type NAMES = new ParameterizedTypeReference<Set<String>>() {
	}.getType();

	private static final Type SCORES = new ParameterizedTypeReference<SortedMap<String, Integer>>() {
	}.getType();

	private static final JsonMapper PLAIN = JsonMapper.shared();

	/** With all settings that would change values. */
	private static final JsonMapper CHANGING = JsonMapper.builder()
		.defaultDateFormat(new SimpleDateFormat("yyyy-MM-dd"))
		.defaultTimeZone(TimeZone.getTimeZone("Pacific/Auckland"))
		.changeDefaultPropertyInclusion((inclusion) -> JsonInclude.Value.construct(JsonInclude.Include.NON_EMPTY,
				JsonInclude.Include.NON_EMPTY))
		.enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
		.enable(SerializationFeature.WRAP_ROOT_VALUE, SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
		.enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
		.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
		.disable(DateTimeFeature.WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS)
		.build();

	private final RoundTripChecks checks = new RoundTripChecks(PLAIN, 0);

	static Stream<Arguments> valuesThatComeBack() {
		ProxyFactory proxy = new ProxyFactory(new Bean("a"));
		proxy.setProxyTargetClass(true);
		EnumMap<TimeUnit, List<Line>> byUnit = new EnumMap<>(Map.of(TimeUnit.DAYS, List.of(new Line("a", 1))));
		Map<String, Object> open = new HashMap<>(
				Map.of("text", "a", "number", 1, "large", 1L << 40, "exact", 0.5, "yes", true));
		open.put("none", null);
		open.put("list", new ArrayList<>(List.of(1, "a", new LinkedHashMap<>(Map.of("b", 2)))));
		return Stream.of(arguments(String.class, "a"), arguments(byte[].class, new byte[] { 1 }),
				arguments(char[].class, "abc".toCharArray()), arguments(double[].class, new double[] { 0.1, -0.0 }),
				arguments(Line[].class, new Line[] { new Line("a", 1), null }),
				arguments(BigDecimal.class, new BigDecimal("1.50")),
				arguments(BigDecimal.class, new BigDecimal("1E+3")), arguments(Float.class, Float.NaN),
				arguments(Date.class, new Date(1)), arguments(Date.class, new Timestamp(1)),
				arguments(Instant.class, Instant.now()), arguments(LocalTime.class, LocalTime.of(10, 11, 12, 13)),
				arguments(Duration.class, Duration.ofNanos(1500)), arguments(Locale.class, Locale.GERMANY),
				arguments(OffsetDateTime.class, OffsetDateTime.parse("2026-01-01T23:00:00-11:00")),
				arguments(ZonedDateTime.class, ZonedDateTime.parse("2026-01-01T10:00:00+01:00[Europe/Berlin]")),
				arguments(ZonedDateTime.class, ZonedDateTime.of(LocalDateTime.MIN.withYear(2026), ZoneId.of("UTC"))),
				arguments(TimeUnit.class, TimeUnit.DAYS), arguments(Twins.class, Twins.RIGHT),
				arguments(UUID.class, UUID.randomUUID()), arguments(Path.class, Path.of("/a/b")),
				arguments(LINES, List.of(new Line("a", 1))), arguments(LINES, new ArrayList<>()),
				arguments(LINES, Arrays.asList(null, new Line("a", 1))), arguments(BASES, List.of(new Base("a"))),
				arguments(Sets.class, new Sets(Set.of("a", "b", "c", "d"), new HashSet<>(Arrays.asList("x", null)))),
				arguments(NAMES, new LinkedHashSet<>(List.of("c", "a", "b"))), arguments(NAMES, Set.of("c", "a", "b")),
				arguments(NAMES, new TreeSet<>(Set.of("c", "a", "b"))),
				arguments(SCORES, new TreeMap<>(Map.of("b", 1, "a", 2))),
				arguments(new ParameterizedTypeReference<Deque<String>>() {
				}.getType(), new ArrayDeque<>(List.of("b", "a"))),
				arguments(new ParameterizedTypeReference<Map<TimeUnit, List<Line>>>() {
				}.getType(), byUnit), arguments(ANYTHING, open), arguments(ANY_LIST, List.of(1, "a", true)),
				arguments(Number.class, 1), arguments(JsonNode.class, PLAIN.readTree("{\"a\":[1.50,null]}")),
				arguments(new ParameterizedTypeReference<Box<List<Optional<Line>>>>() {
				}.getType(), new Box<>(List.of(Optional.of(new Line("a", 1)), Optional.empty()))),
				arguments(Order.class, new Order("o", Optional.of(new Line("a", 1)))),
				arguments(Bytes.class, new Bytes(new byte[] { 1 })), arguments(Code.class, new Code("a")),
				arguments(Shape.class, new Circle(1)), arguments(Bean.class, new Bean("a")),
				arguments(Bean.class, proxy.getProxy()), arguments(Bean.class, mock(Bean.class)),
				arguments(AllArguments.class, new AllArguments("a", LocalDate.EPOCH)),
				arguments(Derived.class, new Derived("a", "b")), arguments(Forgetful.class, new Forgetful("a")),
				arguments(Serving.class, new Serving("a")), arguments(Parent.class, new Parent(new Child())),
				arguments(Login.class, new Login("a", null)), arguments(Clock.class, new Clock()));
	}

	@ParameterizedTest
	@MethodSource
	void valuesThatComeBack(Type type, Object value) {
		assertThat(this.checks.loss(type, value)).isNull();
		assertThat(new RoundTripChecks(CHANGING, 0).loss(type, value)).as("whatever the application's settings")
			.isNull();
	}

	static Stream<Arguments> valuesThatDoNot() {
		Login login = new Login("a", "secret");
		Node cycle = new Node();
		cycle.next = cycle;
		return Stream.of(
				// not written, or not read
				arguments(Login.class, login, "a java.lang.String is read back as null, in 'password' of "),
				arguments(new ParameterizedTypeReference<Map<String, Optional<Login>>>() {
				}.getType(), Map.of("secret", Optional.of(login)), "'password' of " + Login.class.getName()),
				arguments(Ignoring.class, Ignoring.of("a"), "'ignored'"),
				arguments(Hidden.class, new Hidden("a"), "'id'"),
				arguments(Partly.class, new Partly("a", "b"), "'tags'"),
				arguments(HiddenLine.class, new HiddenLine(), "'line'"),
				arguments(ReadOnly.class, new ReadOnly("a"), "'text'"),
				arguments(Bean.class, new MoreThanBean("a", 1), "is read back as a " + Bean.class.getName()),
				arguments(BASES, List.of(new Base("a"), new Sub("b", 1)),
						"Sub is read back as a " + Base.class.getName()),
				arguments(NoCreator.class, new NoCreator("a", 1), "cannot be read back"),
				arguments(Strict.class, new Strict("secret"), "cannot be read back"),
				arguments(Node.class, cycle, "cannot be read back"),
				// written as something else
				arguments(Masked.class, new Masked("secret"), "'card'"),
				arguments(MaskedByAccessor.class, new MaskedByAccessor("secret"), "'card'"),
				arguments(Rounded.class, new Rounded(new BigDecimal("1.005")), "in 'amount' of "),
				arguments(Minutes.class, new Minutes(LocalTime.of(10, 11, 12)),
						"a java.time.LocalTime is read back as another one, in 'time'"),
				arguments(NonEmpty.class, new NonEmpty(List.of()), "is read back as null, in 'lines'"),
				arguments(Preset.class, Preset.of(null), "null is read back as a java.lang.String, in 'text'"),
				arguments(Timestamp.class, Timestamp.from(Instant.ofEpochSecond(1, 1)), "java.sql.Timestamp"),
				arguments(Path.class, Path.of("a"), "Path"),
				// of a class that the declared type does not say
				arguments(ANYTHING, Map.of("secret", new BigDecimal("1.5")),
						"a java.math.BigDecimal is read back as a java.lang.Double"),
				arguments(ANYTHING, Map.of("secret", 1L), "a java.lang.Long is read back as a java.lang.Integer"),
				arguments(ANYTHING, Map.of("secret", Double.NaN), "java.lang.String"),
				arguments(ANYTHING, Map.of("secret", Instant.EPOCH), "java.lang.String"),
				arguments(ANYTHING, Map.of("secret", new Line("a", 1)), "java.util.LinkedHashMap"),
				arguments(ANY_LIST, List.of(Set.of(1)), "java.util.ArrayList"),
				arguments(ANY_LIST, List.of('a'), "java.lang.Character"),
				arguments(ANY_LIST, List.of(Map.of(1, 2)), "java.lang.Integer is read back as a java.lang.String"),
				arguments(Number.class, 1.5f, "java.lang.Float"),
				arguments(Holder.class, new Holder(1L), "'content' of "),
				arguments(Object.class, BigInteger.ONE, "java.lang.Integer"),
				arguments(Object.class, new int[] { 1 }, "java.util.ArrayList"),
				arguments(new ParameterizedTypeReference<Collection<String>>() {
				}.getType(), Set.of("a"), "java.util.ArrayList"),
				arguments(CharSequence.class, new StringBuilder("a"), "is read back as a java.lang.String"),
				// in another order
				arguments(NAMES, new TreeSet<>(Comparator.<String>reverseOrder()),
						"java.util.TreeSet is read back as a java.util.LinkedHashSet"),
				arguments(SCORES, new TreeMap<String, Integer>(String.CASE_INSENSITIVE_ORDER),
						"is read back as another one"),
				arguments(new ParameterizedTypeReference<HashSet<Integer>>() {
				}.getType(), new LinkedHashSet<>(List.of(2, 1)), "another one"));
	}

	@ParameterizedTest
	@MethodSource
	void valuesThatDoNot(Type type, Object value, String reason) {
		assertThat(this.checks.loss(type, value)).contains(reason).doesNotContain("secret");
	}

	/**
	 * Pairs of values of one type: the first comes back, and says nothing of the second.
	 */
	static Stream<Arguments> firstComesBackAndSecondDoesNot() {
		return Stream.of(arguments(BASES, List.of(new Base("a")), List.of(new Base("a"), new Sub("b", 1))),
				arguments(BASES, List.of(), List.of(new Sub("b", 1))),
				arguments(Login.class, new Login("a", null), new Login("a", "b")),
				arguments(Partly.class, new Partly(null, "b"), new Partly("a", "b")),
				arguments(Bean.class, new Bean("a"), new MoreThanBean("a", 1)),
				arguments(Box.class, new Box<>(null), new Box<>(1L)),
				arguments(Box.class, new Box<>(1L << 40), new Box<>(1L)),
				arguments(Box.class, new Box<>(0.5), new Box<>(Double.POSITIVE_INFINITY)),
				arguments(Box.class, new Box<>(List.of()), new Box<>(Set.of())),
				arguments(ANYTHING, Map.of("a", List.of(1)), Map.of("a", List.of(1, 'a'))),
				arguments(NonEmpty.class, new NonEmpty(List.of(1)), new NonEmpty(List.of())),
				arguments(Preset.class, Preset.of("a"), Preset.of(null)),
				arguments(Minutes.class, new Minutes(LocalTime.of(10, 11)), new Minutes(LocalTime.of(10, 11, 12))),
				arguments(Rounded.class, new Rounded(new BigDecimal("1.00")), new Rounded(new BigDecimal("1.005"))),
				arguments(Timestamp.class, new Timestamp(1), Timestamp.from(Instant.ofEpochSecond(1, 1))),
				arguments(SCORES, new TreeMap<>(), new TreeMap<String, Integer>(String.CASE_INSENSITIVE_ORDER)),
				arguments(Path.class, Path.of("/a"), Path.of("a")),
				arguments(Attributes.class, new Attributes(Map.of("a", 1)), new Attributes(Map.of("a", 'a'))),
				arguments(Role.class, new Role("user"), new Role("admin")),
				arguments(Stripped.class, new Stripped("a"), new Stripped(" a")),
				arguments(MaskedByAccessor.class, new MaskedByAccessor("a"), new MaskedByAccessor("secret")),
				arguments(Door.class, Door.OPEN, Door.REOPENED));
	}

	record Stripped(String text) {

		@JsonValue
		String json() {
			return this.text.strip();
		}

	}

	enum Door {

		OPEN, REOPENED;

		@JsonValue
		String json() {
			return "open";
		}

	}

	@ParameterizedTest
	@MethodSource
	void firstComesBackAndSecondDoesNot(Type type, Object first, Object second) {
		assertThat(this.checks.loss(type, first)).isNull();
		assertThat(this.checks.loss(type, second)).isNotNull();
		assertThat(this.checks.loss(type, second)).as("again").isNotNull();
		assertThat(this.checks.loss(type, first)).isNull();
	}

	@Test
	void patternsOfTheApplicationsModulesAreComparedEachTime() {
		SimpleModule seconds = new SimpleModule().addSerializer(LocalDateTime.class,
				new LocalDateTimeSerializer(java.time.format.DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss")));
		RoundTripChecks patterned = new RoundTripChecks(JsonMapper.builder().addModule(seconds).build(), 0);
		LocalDateTime second = LocalDateTime.of(2026, 1, 1, 0, 0, 1);
		assertThat(patterned.loss(LocalDateTime.class, second)).isNull();
		assertThat(patterned.loss(LocalDateTime.class, second.plusNanos(1))).isNotNull();
	}

	@Test
	void formatsThatTheApplicationSetsForATypeAreComparedEachTime() {
		RoundTripChecks patterned = new RoundTripChecks(JsonMapper.builder()
			.withConfigOverride(LocalDateTime.class,
					(type) -> type.setFormat(JsonFormat.Value.forPattern("yyyy-MM-dd'T'HH:mm")))
			.build(), 0);
		LocalDateTime minute = LocalDateTime.of(2026, 1, 1, 0, 1);
		assertThat(patterned.loss(LocalDateTime.class, minute)).isNull();
		assertThat(patterned.loss(LocalDateTime.class, minute.plusSeconds(1))).isNotNull();
	}

	@Test
	void oneValueOfEachShapeIsReadAndMoreIfAskedFor() {
		List<Line> list = List.of(new Line("a", 1), new Line("b", 2));
		for (int i = 0; i < 3; i++) {
			assertThat(this.checks.loss(LINES, list)).isNull();
			assertThat(this.checks.loss(LINES, List.of(new Line("c", 3)))).isNull();
		}
		assertThat(this.checks.read).isOne();
		assertThat(this.checks.loss(LINES, List.of())).isNull();
		assertThat(this.checks.read).as("another shape").isEqualTo(2);
		RoundTripChecks always = new RoundTripChecks(PLAIN, 1);
		always.loss(LINES, list);
		always.loss(LINES, list);
		assertThat(always.read).isEqualTo(2);
	}

	@Test
	void entityWhoseFieldsNobodyShowsIsRefusedByItsType() {
		assertThat(this.checks.roundTrips.obstacle(PLAIN.constructType(HiddenEntity.class)))
			.contains(HiddenEntity.class.getName(), "nothing is written");
	}

	/**
	 * The checks of one application, which write as patterns do.
	 */
	private static final class RoundTripChecks {

		private final JsonMapper mapper;

		private final RoundTrips roundTrips;

		private int read;

		RoundTripChecks(JsonMapper application, double share) {
			this.mapper = StoredJson.mapper(application);
			this.roundTrips = new RoundTrips(() -> this.mapper, () -> share);
		}

		@Nullable String loss(Type type, Object value) {
			return this.roundTrips.loss(this.mapper.constructType(type), value, () -> {
				this.read++;
				return this.mapper.readerFor(this.mapper.constructType(type))
					.readValue(this.mapper.writerFor(this.mapper.constructType(type)).writeValueAsBytes(value));
			});
		}

	}

	record Line(String name, int count) {
	}

	record Order(String id, Optional<Line> line) {
	}

	record Sets(Set<String> names, Set<String> others) {
	}

	record Bytes(byte[] bytes) {
	}

	record Box<T>(@Nullable T content) {
	}

	record Holder(Object content) {
	}

	record Login(String name, @JsonProperty(access = Access.WRITE_ONLY) @Nullable String password) {
	}

	record ReadOnly(@JsonProperty(access = Access.READ_ONLY) String text) {
	}

	record MaskedByAccessor(String card) {

		@Override
		public String card() {
			return (this.card.length() > 4) ? "*" : this.card;
		}

	}

	record Masked(@JsonSerialize(using = Mask.class) String card) {
	}

	static final class Mask extends ValueSerializer<String> {

		@Override
		public void serialize(String value, JsonGenerator generator, SerializationContext context) {
			generator.writeString("*");
		}

	}

	record Rounded(@JsonSerialize(using = Rounding.class) BigDecimal amount) {
	}

	static final class Rounding extends ValueSerializer<BigDecimal> {

		@Override
		public void serialize(BigDecimal value, JsonGenerator generator, SerializationContext context) {
			generator.writeNumber(value.setScale(2, RoundingMode.DOWN));
		}

	}

	record Minutes(@JsonFormat(pattern = "HH:mm") LocalTime time) {
	}

	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	record NonEmpty(List<Integer> lines) {
	}

	@JsonInclude(JsonInclude.Include.NON_NULL)
	static final class Preset {

		public @Nullable String text = "preset";

		static Preset of(@Nullable String text) {
			Preset made = new Preset();
			made.text = text;
			return made;
		}

	}

	static final class Role {

		@JsonIgnore
		public String role = "user";

		Role() {
		}

		Role(String role) {
			this.role = role;
		}

	}

	record Attributes(@JsonValue Map<String, Object> content) {

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		Attributes {
		}

	}

	record Code(@JsonValue String text) {

		@JsonCreator
		static Code of(String text) {
			return new Code(text);
		}

	}

	enum Twins {

		LEFT, RIGHT;

		@Override
		public String toString() {
			return "twin";
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
	@JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
	sealed interface Shape permits Circle {

	}

	record Circle(int radius) implements Shape {
	}

	static class Base {

		public String name = "";

		Base() {
		}

		Base(String name) {
			this.name = name;
		}

	}

	static final class Sub extends Base {

		public int more;

		Sub(String name, int more) {
			super(name);
			this.more = more;
		}

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

	// What is ignored is there again
	static final class Derived {

		private final String first;

		private final String last;

		@JsonIgnore
		private final String full;

		@JsonCreator
		Derived(@JsonProperty("first") String first, @JsonProperty("last") String last) {
			this.first = first;
			this.last = last;
			this.full = first + last;
		}

		public String getFirst() {
			return this.first;
		}

		public String getLast() {
			return this.last;
		}

		@JsonIgnore
		public String getFull() {
			return this.full;
		}

	}

	static class Ignoring {

		public String name = "";

		@JsonIgnore
		public List<String> ignored = new ArrayList<>();

		static Ignoring of(String name) {
			Ignoring made = new Ignoring();
			made.name = name;
			made.ignored.add(name);
			return made;
		}

	}

	// What it may lose, and its hash code
	static class Forgetful {

		public String id = "";

		private transient @Nullable List<Forgetful> others;

		private int hash;

		Forgetful() {
		}

		Forgetful(String id) {
			this.id = id;
			this.others = List.of(this);
			this.hash = id.hashCode() + this.others.size();
		}

	}

	// A service is no data
	static class Serving {

		public String id = "";

		private @Nullable Runnable listener;

		private @Nullable Thread thread;

		Serving() {
		}

		Serving(String id) {
			this.id = id;
			this.listener = () -> {
			};
			this.listener.run();
			this.thread = Thread.currentThread();
			this.thread.isAlive();
		}

	}

	static class Parent {

		@JsonManagedReference
		public List<Child> children = new ArrayList<>();

		Parent() {
		}

		Parent(Child child) {
			this.children.add(child);
			child.parent = this;
		}

	}

	static class Child {

		@JsonBackReference
		public @Nullable Parent parent;

	}

	static class Node {

		public @Nullable Node next;

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

	static class HiddenLine {

		public String id = "a";

		private @Nullable Line line;

		@JsonCreator
		static HiddenLine read(@JsonProperty("id") String id) {
			HiddenLine read = new HiddenLine();
			read.id = id;
			read.line = null;
			return read;
		}

		HiddenLine() {
			this.line = new Line("a", 1);
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

	@jakarta.persistence.Entity
	static class HiddenEntity {

		@Id
		private long id;

		private @Nullable String text;

		protected HiddenEntity() {
		}

	}

}
