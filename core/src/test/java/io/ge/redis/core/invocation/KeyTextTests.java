// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collections;
import java.util.Currency;
import java.util.Date;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.InvalidKeyException;
import io.ge.redis.test.Sources;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KeyText}: the table of docs/keys.md, and what is refused.
 */
class KeyTextTests {

	private static final UUID ID = UUID.fromString("00000000-0000-0000-0000-000000000001");

	/** By the first column of the page, values and the parts that they are. */
	// @formatter:off
	private static final Map<String, Sample[]> TABLE = table(
			row("text (`CharSequence`), `char`",
					is(" a b", " a b"), is(new StringBuilder("x"), "x"), is('c', "c"), is("a:{b}", "a:{b}")),
			row("number of the JDK, `boolean`",
					is(42, "42"), is(-7L, "-7"), is(1.0, "1.0"), is(new BigDecimal("1.00"), "1.00"), is(true, "true")),
			row("enum",
					is(Plan.BASIC, "BASIC"), is(Plan.LARGE, "LARGE"), is(Month.MAY, "MAY")),
			row("`UUID`, `URI`, `Locale`, `Currency`",
					is(ID, ID.toString()), is(URI.create("urn:a"), "urn:a"), is(Locale.UK, "en_GB"),
					is(Currency.getInstance("EUR"), "EUR")),
			row("value of `java.time`",
					is(Instant.ofEpochSecond(0, 1), "1970-01-01T00:00:00.000000001Z"), is(Duration.ofSeconds(90), "PT1M30S"),
					is(LocalDate.of(2026, 5, 1), "2026-05-01"), is(ZoneId.of("Europe/Paris"), "Europe/Paris"),
					is(ZonedDateTime.parse("2026-05-01T00:00Z"), "2026-05-01T00:00Z")),
			row("`InetAddress`",
					is(address("example.org"), "203.0.113.9"), is(address(null), "203.0.113.9")),
			row("`Principal`, `Authentication`",
					is((Principal) () -> "anna", "anna"), is(new Caller("anna", "session 1"), "anna")),
			row("`byte[]`",
					is(new byte[] { 1, 2 }, "oShx_uIQ-4YZKR6uoZRYHL0lMeSyN1nSJfaAaSP2MiI"), is(new byte[100_000], "_large_")),
			row("`Optional`, Kotlin's value class",
					is(Optional.of("a"), "a"), is(Optional.of(List.of("a", 1)), "a", "1")),
			row("list, array, record",
					is(List.of("b", "a"), "b", "a"), is(new int[] { 2, 1 }, "2", "1"), is(new String[] { "a" }, "a"),
					is(new Pair("a", 1), "a", "1")),
			row("`Set`, `Map`",
					is(new LinkedHashSet<>(List.of("b", "a")), "a", "b"), is(Map.of("b", 2, "a", 1), "[a, 1]", "[b, 2]")),
			row("list, array, record, `Set` or `Map` within another",
					is(List.of("a", List.of("b", "c")), "a", "[b, c]"), is(new Pair("a", new int[] { 1, 2 }), "a", "[1, 2]"),
					is(List.of("a", List.of("b", List.of("c", "d"))), "a", "[b, [c, d]]"),
					is(List.of("a", Set.of("c", "b")), "a", "[b, c]"), is(List.of(List.of()), "[]"),
					is(List.of(List.of("b, c", "[\\")), "[b\\, c, \\[\\\\]"), is("[b, c]", "\\[b, c]")));
	// @formatter:on

	@Test
	void valuesHaveTheTextThatThePageSays() throws IOException {
		TABLE.forEach((row, samples) -> {
			for (Sample sample : samples) {
				List<String> parts = KeyText.of(sample.value(), "key");
				if (sample.parts().equals(List.of("_large_"))) {
					assertThat(parts).as(row).singleElement().asString().hasSize(43);
				}
				else {
					assertThat(parts).as(row).isEqualTo(sample.parts());
				}
			}
		});
		String page = Files.readString(Sources.ROOT.resolve("docs/keys.md"));
		Matcher rows = Pattern.compile("(?m)^\\| (.*?) \\| .* \\|$")
			.matcher(page.substring(page.indexOf("<!-- values -->"), page.indexOf("<!-- /values -->")));
		List<String> described = new ArrayList<>();
		while (rows.find()) {
			described.add(rows.group(1));
		}
		assertThat(described.subList(2, described.size())).containsExactlyElementsOf(TABLE.keySet());
	}

	@Test
	void equalValuesAreOneKey() {
		List<List<Object>> equal = List.of(List.of(new Caller("anna", "session 1"), new Caller("anna", "session 2")),
				List.of(new LinkedHashSet<>(List.of("b", "a")), new LinkedHashSet<>(List.of("a", "b"))),
				List.of(new Pair("a", new byte[] { 1 }), new Pair("a", new byte[] { 1 })),
				List.of(new Pair("a", Set.of(1, 2, 3)), new Pair("a", new LinkedHashSet<>(List.of(3, 2, 1)))),
				List.of(address("example.org"), address(null)), List.of(Optional.of(1), 1L));
		equal.forEach(
				(values) -> assertThat(new HashSet<>(values.stream().map((each) -> KeyText.of(each, "key")).toList()))
					.as(values.toString())
					.hasSize(1));
	}

	@Test
	void differentValuesAreDifferentKeys() {
		List<Object> values = List.of("a", "[a]", "\\[a]", "\\\\[a]", List.of(List.of("a")), List.of(List.of("a", "b")),
				List.of(List.of("a, b")), List.of(List.of("a"), "b"), List.of("a", "b"), "a, b", List.of("[a, b]"),
				List.of("a", List.of("b", "c")), List.of("a", "[b, c]"), List.of(List.of("a", "b"), "c"),
				List.of(List.of("a", List.of("b")), "c"), List.of(List.of("a", "[b]"), "c"), List.of("[", "]"),
				List.of(List.of("[", "]")), Plan.BASIC, Plan.LARGE, Instant.ofEpochMilli(1), Instant.ofEpochMilli(2),
				new byte[] { 1 }, new byte[] { 2 });
		assertThat(values.stream().map((value) -> KeyText.of(value, "key"))).doesNotHaveDuplicates();
	}

	@Test
	void missingValuesAreRefusedAlsoWithinOthers() {
		Principal nobody = () -> " ";
		for (Object missing : Arrays.asList(null, "", " ", Optional.empty(), nobody, List.of(), new byte[0])) {
			assertThat(KeyText.isEmpty(missing) || missing instanceof byte[]).isTrue();
			for (Object value : Arrays.asList(missing, new Pair("a", missing),
					Collections.singletonMap("a", missing))) {
				if (!(missing instanceof List) || value == missing) {
					assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> KeyText.of(value, "The key"))
						.satisfies((ex) -> assertThat(ex.isCausedByArguments()).isTrue());
				}
			}
		}
		assertThat(KeyText.ofIncomplete(new Pair(null, ""), "key")).containsExactly("", " ");
		assertThat(KeyText.ofIncomplete(List.of(new Pair(null, "\\N")), "key")).containsExactly("[\\N, \\\\N]");
	}

	@Test
	void everythingElseIsRefused() {
		for (Object refused : List.of(new Object(), new Date(), Calendar.getInstance(), new Speaking(), Mono.just("a"),
				Flux.just("a"), CompletableFuture.completedFuture("a"), Stream.of("a"), new ArrayDeque<>(List.of("a")),
				String.class, new Own())) {
			for (Object value : List.of(refused, new Pair("a", refused), List.of(Optional.of(refused)),
					Map.of("a", refused))) {
				assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> KeyText.of(value, "The key"))
					.withMessageContaining("The key evaluated to a " + refused.getClass().getName()
							+ ", which has no text of its own.")
					.satisfies((ex) -> assertThat(ex.isCausedByArguments()).isFalse());
			}
		}
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> KeyText.of(Mono.just("a"), "The key"))
			.withMessageContaining("not known yet: take the key from another argument");
	}

	@Test
	void largeValuesAreRefused() {
		List<Object> itself = new ArrayList<>();
		itself.add(itself);
		for (Object large : List.of(new long[100_000], Collections.nCopies(1001, "a"),
				Collections.nCopies(40, Collections.nCopies(40, "a")), itself)) {
			assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> KeyText.of(large, "The key"))
				.withMessageContaining("more than 1000 elements");
		}
	}

	@Test
	void severalKeysAreTheElementsOfAnyCollection() {
		assertThat(KeyText.several(new ArrayDeque<>(List.of("a", List.of("b", "c"))), "keys"))
			.containsExactly(List.of("a"), List.of("b", "c"));
		assertThat(KeyText.several(new long[] { 1, 2 }, "keys")).containsExactly(List.of("1"), List.of("2"));
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> KeyText.several("a", "keys"));
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> KeyText.several(List.of(), "keys"));
	}

	private static InetAddress address(@Nullable String host) {
		try {
			return InetAddress.getByAddress(host, new byte[] { (byte) 203, 0, 113, 9 });
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Sample is(Object value, String... parts) {
		return new Sample(value, List.of(parts));
	}

	private static Map.Entry<String, Sample[]> row(String first, Sample... samples) {
		return Map.entry(first, samples);
	}

	@SafeVarargs
	private static Map<String, Sample[]> table(Map.Entry<String, Sample[]>... rows) {
		Map<String, Sample[]> table = new LinkedHashMap<>();
		for (Map.Entry<String, Sample[]> row : rows) {
			table.put(row.getKey(), row.getValue());
		}
		return table;
	}

	private record Sample(Object value, List<String> parts) {
	}

	private record Pair(@Nullable Object first, @Nullable Object second) {
	}

	private record Caller(String name, String session) implements Principal {

		@Override
		public String getName() {
			return this.name;
		}

	}

	private enum Plan {

		BASIC, LARGE {

			@Override
			int size() {
				return 2;
			}

		};

		int size() {
			return 1;
		}

		@Override
		public String toString() {
			return "plan";
		}

	}

	private static final class Speaking {

		@Override
		public String toString() {
			return "text";
		}

	}

	private static final class Own extends Number {

		@Override
		public int intValue() {
			return 1;
		}

		@Override
		public long longValue() {
			return 1;
		}

		@Override
		public float floatValue() {
			return 1;
		}

		@Override
		public double doubleValue() {
			return 1;
		}

	}

}
