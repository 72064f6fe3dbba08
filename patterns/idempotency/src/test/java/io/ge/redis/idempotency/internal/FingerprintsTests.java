// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.math.BigDecimal;
import java.security.Principal;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FingerprintsTests {

	@Test
	void equalPayloadsHaveEqualFingerprintsOf32Bytes() {
		assertThat(Fingerprints.of(payload("1"))).isEqualTo(Fingerprints.of(payload("1"))).hasSize(32);
		assertThat(Fingerprints.of(payload("1"))).isNotEqualTo(Fingerprints.of(payload("2")));
	}

	@Test
	void textAndNumbersAndNothingAreDifferent() {
		List<byte[]> fingerprints = Arrays.asList(Fingerprints.of("1"), Fingerprints.of(1), Fingerprints.of(null),
				Fingerprints.of(""), Fingerprints.of(List.of("1")), Fingerprints.of("null"));
		for (int i = 0; i < fingerprints.size(); i++) {
			for (int j = 0; j < i; j++) {
				assertThat(fingerprints.get(i)).isNotEqualTo(fingerprints.get(j));
			}
		}
	}

	@Test
	void orderOfMapEntriesDoesNotMatterAndThatOfListsDoes() {
		Map<String, Integer> reversed = new LinkedHashMap<>();
		reversed.put("b", 2);
		reversed.put("a", 1);
		assertThat(Fingerprints.of(reversed)).isEqualTo(Fingerprints.of(new java.util.TreeMap<>(reversed)));
		assertThat(Fingerprints.of(List.of(1, 2))).isNotEqualTo(Fingerprints.of(List.of(2, 1)));
	}

	@Test
	void orderOfSetsAndOfJsonObjectsDoesNotMatter() {
		Set<Object> one = new LinkedHashSet<>(List.of(new Pair("1", null), new Pair("2", null), "3"));
		Set<Object> other = new LinkedHashSet<>(List.of("3", new Pair("2", null), new Pair("1", null)));
		assertThat(Fingerprints.of(new Object[] { one })).isEqualTo(Fingerprints.of(new Object[] { other }))
			.isNotEqualTo(Fingerprints.of(new Object[] { Set.of("3") }));
		JsonMapper json = JsonMapper.shared();
		assertThat(Fingerprints.of(json.readTree("{\"a\":1,\"b\":{\"c\":2,\"d\":3}}")))
			.isEqualTo(Fingerprints.of(json.readTree("{\"b\":{\"d\":3,\"c\":2},\"a\":1}")));
	}

	@Test
	void fieldsCountWhateverTheirAnnotationsAndAccessors() {
		assertThat(Fingerprints.of(new Hidden("1", "a"))).isNotEqualTo(Fingerprints.of(new Hidden("1", "b")))
			.isNotEqualTo(Fingerprints.of(new Hidden("2", "a")))
			.isEqualTo(Fingerprints.of(new Hidden("1", "a")));
		assertThat(Fingerprints.of(new Pair("1", null))).isNotEqualTo(Fingerprints.of(new Pair(null, "1")));
	}

	/** The list of docs/keys.md: values that are equal as payloads. */
	@Test
	void fieldsThatAreEmptyAndFormsOfNumbersDoNotCount() {
		Pair old = new Pair("1", null);
		List<List<Object>> equal = List.of(List.of(old, new Wider("1", null, null, null, null)),
				List.of(old, new Wider("1", "", List.of(), Optional.empty(), Set.of())),
				List.of(new BigDecimal("1.0"), new BigDecimal("1.00"), 1, 1.0, 1.0f, 1L),
				List.of(new BigDecimal("1E+2"), 100, new BigDecimal("100.0")),
				List.of(Map.of("a", new BigDecimal("10.50")), Map.of("a", 10.5)),
				List.of(new Caller("anna", 1), new Caller("anna", 2), (Principal) () -> "anna"),
				List.of(Set.of(new BigDecimal("1.0")), Set.of(1)), List.of(Map.of("a", 1), nullable("a", 1)),
				List.of(JsonMapper.shared().readTree("{\"a\":1.0,\"b\":null}"),
						JsonMapper.shared().readTree("{\"a\":1}")));
		for (List<Object> values : equal) {
			for (Object value : values) {
				assertThat(Fingerprints.of(new Object[] { value })).as(value + " in " + values)
					.isEqualTo(Fingerprints.of(new Object[] { values.get(0) }));
			}
		}
		assertThat(Fingerprints.of(new BigDecimal("1E+9999"))).isNotEqualTo(Fingerprints.of(1));
		assertThat(Fingerprints.of(Double.NaN)).isNotEqualTo(Fingerprints.of(1));
	}

	@Test
	void publishersAndFuturesAreRefused() {
		for (Object later : List.of(Mono.just("a"), Flux.just("a"), CompletableFuture.completedFuture("a"))) {
			for (Object payload : List.of(later, List.of(later), Optional.of(later), Map.of("a", later))) {
				assertThatExceptionOfType(JacksonException.class).isThrownBy(() -> Fingerprints.of(payload))
					.withMessageContaining("has no value to compare yet");
			}
		}
	}

	@Test
	void parametersThatAreNoDataAreRefusedAtStartup() throws Exception {
		GuardedMethod later = new GuardedMethod(Fields.class.getMethod("later", Mono.class), Fields.class,
				Deprecated.class);
		assertThatExceptionOfType(GuardConfigurationException.class)
			.isThrownBy(() -> Fingerprints.requireComparable(later, true))
			.withMessageContaining("a parameter of type Mono cannot be compared")
			.withMessageContaining("Set fingerprint to an expression");
		// The bytes of the request are compared
		Fingerprints.requireComparable(later, false);
	}

	static class Fields {

		public void later(Mono<String> value) {
		}

	}

	private static Map<String, @Nullable Object> nullable(String name, Object value) {
		Map<String, @Nullable Object> map = new LinkedHashMap<>();
		map.put("b", null);
		map.put(name, value);
		return map;
	}

	@Test
	void valueWithoutFieldsIsRefused() {
		assertThatExceptionOfType(JacksonException.class).isThrownBy(() -> Fingerprints.of(new Object()));
		assertThatExceptionOfType(JacksonException.class)
			.isThrownBy(() -> Fingerprints.of(new Object[] { new Empty() }));
		assertThatExceptionOfType(JacksonException.class).isThrownBy(() -> Fingerprints.of(new Holder()));
		assertThatExceptionOfType(JacksonException.class).isThrownBy(() -> Fingerprints.of(new Member()));
	}

	private static Object payload(String text) {
		return new Object[] { text, 1, 2.5, new BigDecimal("1.50"),
				UUID.fromString("00000000-0000-0000-0000-000000000001"), Instant.EPOCH, Optional.of(text),
				Map.of("a", List.of(1)), new Pair(text, null), new byte[] { 1 }, Thread.State.NEW, null };
	}

	record Pair(@Nullable String first, @Nullable String second) {
	}

	record Wider(String first, @Nullable String second, @Nullable List<String> added, @Nullable Optional<String> maybe,
			@Nullable Set<String> several) {
	}

	record Caller(String name, int session) implements Principal {

		@Override
		public String getName() {
			return this.name;
		}

	}

	static class Empty {

	}

	static class Holder {

		private final Holder self = this;

	}

	static class Member {

		private final Set<Member> group = Set.of(this);

	}

	static class Hidden {

		@JsonIgnore
		private final String ignored;

		private final transient String shown;

		private final String field;

		Hidden(String ignored, String field) {
			this.ignored = ignored;
			this.field = field;
			this.shown = "";
		}

	}

}
