// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How keys look in Redis.
 */
class KeyPartsTests {

	static Stream<List<String>> keys() {
		return Stream.of(List.of("42"), List.of("a", "b"), List.of("a,b"), List.of("a%2C", ""), List.of("", "x"),
				List.of(""), List.of("line\nbreak", "tab\t"), List.of("\uD83D\uDE00 smile"),
				List.of("half \uD83D", "\uDE00"), List.of("%", ",", "%%"));
	}

	@ParameterizedTest
	@MethodSource("keys")
	void comeBackAsTheyWere(List<String> key) {
		assertThat(KeyParts.split(KeyParts.join(key))).isEqualTo(key);
	}

	@Test
	void areReadable() {
		assertThat(KeyParts.join(List.of("order 42"))).isEqualTo("order 42");
		assertThat(KeyParts.join(List.of("a", "b"))).isEqualTo("a,b");
		assertThat(KeyParts.join(List.of("a,b"))).isEqualTo("a%002cb");
	}

	@Test
	void areDividedEvenly() {
		int[] sizes = new int[RedisWriteBehind.PARTITIONS];
		for (int i = 0; i < 16_000; i++) {
			sizes[RedisWriteBehind.Partition.of("cache", List.of(String.valueOf(i))).number()]++;
		}
		for (int size : sizes) {
			assertThat(size).isBetween(700, 1300);
		}
	}

}
