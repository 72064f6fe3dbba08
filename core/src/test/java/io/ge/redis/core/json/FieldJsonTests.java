// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link FieldJson}.
 */
class FieldJsonTests {

	private final FieldJson json = new FieldJson(JsonMapper.shared());

	@Test
	void refusesHalfOfASurrogatePairWhereverItIs() {
		for (Object value : List.of("\ud800", "\ud83d\ude00\ude00", List.of("a\udc00"), Map.of("b\ud800", 1), '\udfff',
				Map.of("a", new RawValue("\"\\ud83d\\\\ude00\"")), new RawValue("\"\\\\\\uD800\""))) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.json.write("The value", value))
				.withMessage("The value must be text, has half of a surrogate pair");
		}
	}

	@Test
	void writesAnyOtherText() {
		for (String text : List.of("\ud83d\ude00", "\\ud800", "\\\\ud800", "\u0001\ud83d\ude00\\", "\ue000")) {
			byte[] written = this.json.write("The value", Map.of(text, text));
			assertThat(this.json.mapper().readValue(written, Map.class)).isEqualTo(Map.of(text, text));
		}
		assertThat(this.json.write("The value", new RawValue("\"\\ud83d\\uDE00\""))).asString()
			.isEqualTo("\"\\ud83d\\uDE00\"");
	}

	@Test
	void saysWhatCannotBeWritten() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.json.properties("patch", new Endless()))
			.withMessageContainingAll("patch cannot be written as JSON", "Make it a type that Jackson writes");
		assertThatIllegalArgumentException().isThrownBy(() -> this.json.properties("patch", null))
			.withMessageContaining("patch must be an object with properties, such as a map or a record, was NULL");
	}

	static final class Endless {

		public Endless getSelf() {
			return this;
		}

	}

}
