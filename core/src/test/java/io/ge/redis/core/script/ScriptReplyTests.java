// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link ScriptReply}.
 */
class ScriptReplyTests {

	@ParameterizedTest
	@ValueSource(strings = { "nan", "-nan", "inf", "1e300", "1.5", "99999999999999999999", "", "x" })
	void whatIsNoWholeNumberFailsAsTheReaderWants(String text) {
		ScriptReply reply = reply(text.getBytes(StandardCharsets.UTF_8));
		assertUnreadable(reply, (read) -> read.number(0), text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "inf", "", "x" })
	void whatIsNoNumberFailsAsTheReaderWants(String text) {
		ScriptReply reply = reply(text.getBytes(StandardCharsets.UTF_8));
		assertUnreadable(reply, (read) -> read.decimal(0), text);
	}

	@Test
	void whatIsMissingOrOfAnotherTypeFailsAsTheReaderWants() {
		ScriptReply reply = reply(7L, null);
		assertUnreadable(reply, (read) -> read.number(2), "no element 2");
		assertUnreadable(reply, (read) -> read.bytes(2), "no element 2");
		assertUnreadable(reply, (read) -> read.bytes(0), "no string");
		assertUnreadable(reply, (read) -> read.text(1), "nil");
		assertUnreadable(reply, (read) -> read.number(1), "nil");
		assertThat(reply.bytes(1)).isNull();
		assertThat(reply.number(0)).isEqualTo(7);
	}

	@Test
	void partsFailLikeTheWhole() {
		ScriptReply part = reply(1L, "nan".getBytes(StandardCharsets.UTF_8)).parts().get(0);
		assertUnreadable(part, (read) -> read.number(0), "nan");
	}

	@Test
	void wordsAreWhatWasReplied() {
		for (int round = 0; round < 2; round++) {
			for (int i = 0; i < 2000; i++) {
				assertWord("word " + i);
				assertWord("w\u00f6rt " + i);
			}
		}
	}

	private static void assertWord(String text) {
		assertThat(reply(text.getBytes(StandardCharsets.UTF_8)).text(0)).isEqualTo(text);
	}

	private static void assertUnreadable(ScriptReply reply, Consumer<ScriptReply> read, String problem) {
		assertThatIllegalArgumentException().isThrownBy(() -> read.accept(reply)).withMessageContaining(problem);
	}

	private static ScriptReply reply(Object... elements) {
		List<?> all = Arrays.asList(elements);
		return new ScriptReply(all).failing(IllegalArgumentException::new);
	}

}
