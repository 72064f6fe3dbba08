// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the messages of {@link CacheKey}.
 */
class CacheKeyTests {

	private static CacheKey transported(CacheKey key) {
		byte[] bytes = key.message().getBytes(StandardCharsets.UTF_8);
		return CacheKey.ofMessage(new String(bytes, StandardCharsets.UTF_8));
	}

	@Test
	void everyCharacterArrivesAloneAndBetweenOthers() {
		for (int one = 0; one <= Character.MAX_VALUE; one++) {
			for (String part : List.of(String.valueOf((char) one), "a" + (char) one + "b")) {
				CacheKey key = new CacheKey(part, List.of(part, "x", part));
				assertThat(transported(key)).isEqualTo(key);
			}
		}
	}

	@Test
	void differentKeysHaveDifferentTexts() {
		String[] pieces = { "a", "?", "%", "%d800", "%uD800", " ", "+", "\n", "\0", "\uD800", "\uDC00", "\uD83D\uDE00",
				"\uFFFD" };
		List<CacheKey> keys = new ArrayList<>();
		Set<String> texts = new HashSet<>();
		for (String first : pieces) {
			for (String second : pieces) {
				keys.add(new CacheKey("c", List.of(first, second)));
				keys.add(new CacheKey(first, List.of(second + "x" + first)));
				keys.add(new CacheKey("c" + first, List.of()));
			}
		}
		for (CacheKey key : keys) {
			assertThat(transported(key)).isEqualTo(key);
			texts.add(new String(key.message().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
		}
		assertThat(texts).hasSameSizeAs(new HashSet<>(keys));
	}

	@Test
	void pairInTheWrongOrderArrivesAsItIs() {
		CacheKey key = new CacheKey("c\uDE00\uD83D", List.of("\uD83D\uD83D\uDE00\uDE00"));
		assertThat(transported(key)).isEqualTo(key);
	}

	@Test
	void longKeysAreNotTold() {
		assertThat(new CacheKey("12345", List.of("x".repeat(1000), "x".repeat(17))).isPublished()).isTrue();
		assertThat(new CacheKey("12345", List.of("x".repeat(1000), "x".repeat(18))).isPublished()).isFalse();
	}

}
