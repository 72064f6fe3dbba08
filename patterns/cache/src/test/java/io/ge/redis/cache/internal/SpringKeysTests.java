// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.ge.redis.InvalidKeyException;
import io.ge.redis.cache.internal.engine.CacheKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.cache.interceptor.SimpleKey;
import org.springframework.cache.interceptor.SimpleKeyGenerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SpringKeys}.
 */
class SpringKeysTests {

	private static CacheKey key(@Nullable Object... arguments) {
		return SpringKeys.of("items", SimpleKeyGenerator.generateKey(arguments));
	}

	@Test
	void argumentsAreTheListOfThem() {
		assertThat(key("a", 2L).parts()).containsExactly("a", "2");
		assertThat(key("a").parts()).containsExactly("a");
		assertThat(key("a", "b")).isEqualTo(SpringKeys.of("items", List.of("a", "b")));
		assertThat(key(List.of("a", "b"))).isEqualTo(key("a", "b"));
		assertThat(key((Object) new String[] { "a", "b" })).isEqualTo(key("a", "b"));
		assertThat(key("a", List.of("b", "c")).parts()).containsExactly("a", "[b, c]");
		assertThat(SpringKeys.of("items", SimpleKey.EMPTY).parts()).isEqualTo(SpringKeys.NO_PARAMETERS);
	}

	@Test
	void noTwoListsOfArgumentsAreOneKey() {
		List<@Nullable String> texts = Arrays.asList(null, "", " ", "  ", "null", "a", "a, b", "SimpleKey []");
		Set<CacheKey> keys = new HashSet<>();
		for (String first : texts) {
			assertThat(keys.add(key(first))).as(first).isTrue();
			for (String second : texts) {
				assertThat(keys.add(key(first, second))).as(first + "," + second).isTrue();
			}
		}
	}

	@Test
	void argumentsWithoutTextAreRefused() {
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> key(new Object()))
			.withMessageContaining("The key of cache 'items'")
			.withMessageContaining("no text of its own");
		assertThatExceptionOfType(InvalidKeyException.class).isThrownBy(() -> key("a", new Object()));
	}

}
