// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link StructuredFieldList}, by which other tests judge.
 */
class StructuredFieldListTests {

	@Test
	void readsTheExamplesOfTheDraft() {
		assertThat(StructuredFieldList.parse(List.of("\"burst\";q=100;w=60,\"daily\";q=1000;w=86400", "\"a\\\"\\\\\"")))
			.containsExactly(new StructuredFieldList.Item("burst", Map.of("q", 100L, "w", 60L)),
					new StructuredFieldList.Item("daily", Map.of("q", 1000L, "w", 86400L)),
					new StructuredFieldList.Item("a\"\\", Map.of()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "burst;q=1", "\"burst", "\"burst\";q=1,", "\"a\" \"b\"", "\"a\";Q=1", "\"a\";q=1.5",
			"\"a\";q=", "\"a\";q=1234567890123456", "\"a\\b\"", "\"ä\"", "\"a\"; ", "\"a\";q = 1" })
	void refusesWhatIsNoSuchList(String field) {
		assertThatIllegalArgumentException().isThrownBy(() -> StructuredFieldList.parse(field));
	}

}
