// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import io.ge.redis.test.Sized;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RowName}.
 */
@Sized
class RowNameTests {

	@Test
	void idsStayAsTheyAreInRedis() {
		assertThat(hex(RowKind.TOKEN, "https://issuer.example", "3f8e")).isEqualTo("fe2efd88be1062fc 132588d6d0515d5");
		assertThat(hex(RowKind.SUBJECT, null, "anna")).isEqualTo("ec52fcd06e739334 dac04ec14b987d8d");
		assertThat(hex(RowKind.BLOCK, "ips", "10.0.0.1")).isEqualTo("87646a1e5792ef81 9dd9da22add2e7d0");
	}

	@Test
	void nothingMeets() {
		Map<Long, RowName> fast = new HashMap<>();
		Map<Long, RowName> strong = new HashMap<>();
		List<String> texts = List.of("", "a", "b", "ab", "ba", "aaaa", "aaaab", "aaaa\0", "\0", "\0\0", "1:a", ":a",
				"-:", "0:", "abcdefgh", "efghabcd", "\uD800", "\uFFFD");
		for (RowKind kind : RowKind.values()) {
			for (int parts = 1; parts < 4; parts++) {
				for (String text : texts) {
					RowName alone = new RowName(kind, null, text, parts);
					assertThat(fast.put(alone.fast(), alone)).isNull();
					assertThat(strong.put(alone.strong(), alone)).isNull();
					for (String issuer : texts) {
						RowName name = new RowName(kind, issuer, text, parts);
						assertThat(fast.put(name.fast(), name)).as(issuer + "/" + text).isNull();
						assertThat(strong.put(name.strong(), name)).as(issuer + "/" + text).isNull();
					}
				}
			}
		}
	}

	@Test
	void textsThatMeetInTheFastHalfDoNotMeetInMaps() {
		assertThat(new Row.Id(1, 2)).doesNotHaveSameHashCodeAs(new Row.Id(1, 3));
	}

	@Property(tries = 300)
	void readsWhatItWrote(@ForAll RowKind kind, @ForAll String issuer, @ForAll String text) {
		RowName name = new RowName(kind, issuer, text);
		Row row = Row.of(name.member(), 17, 4, "why");
		assertThat(row).isEqualTo(new Row(kind, name.fast(), name.strong(), 17, 4, "why"));
		assertThat(name.fast()).isNotZero();
		assertThat(name.toString()).isEqualTo(kind.name());
	}

	@Property(tries = 300)
	void readsChangesFromTheStreamAndFromMessages(@ForAll RowKind kind, @ForAll String text) {
		RowName name = new RowName(kind, "issuer", text);
		for (String change : List.of("+17 4", "+17 4 a reason of Zoë's", "-0 0")) {
			ByteArrayOutputStream entry = new ByteArrayOutputStream();
			entry.writeBytes(name.member());
			entry.writeBytes(change.getBytes(StandardCharsets.UTF_8));
			Row row = Row.of(entry.toByteArray());
			assertThat(Row.of(HexFormat.of().formatHex(name.member()) + change)).isEqualTo(row);
			assertThat(row.id()).isEqualTo(new Row.Id(name.fast(), name.strong()));
			assertThat(row.isRemoved()).isEqualTo(change.startsWith("-"));
			assertThat(row.isForGood()).isEqualTo(kind != RowKind.BLOCK && !row.isRemoved());
			assertThat(row.reason()).isEqualTo(change.contains("reason") ? "a reason of Zoë's" : null);
		}
	}

	@Property(tries = 300)
	void issuerAndTextAreNotMixedUp(@ForAll String one, @ForAll String other) {
		RowName first = new RowName(RowKind.TOKEN, one, other);
		RowName second = new RowName(RowKind.TOKEN, one + other, "");
		if (!other.isEmpty()) {
			assertThat(first.fast()).isNotEqualTo(second.fast());
			assertThat(first.strong()).isNotEqualTo(second.strong());
		}
	}

	private static String hex(RowKind kind, @Nullable String issuer, String text) {
		RowName name = new RowName(kind, issuer, text);
		return Long.toHexString(name.fast()) + " " + Long.toHexString(name.strong());
	}

}
