// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.bus;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnreadableMessages}.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnreadableMessagesTests {

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1);

	private final UnreadableMessages messages = new UnreadableMessages(this.clock::get);

	@Test
	void oneWarningAMinuteTellsHowManyThereWere(CapturedOutput output) {
		add("first");
		add("second");
		this.clock.addAndGet(TimeUnit.SECONDS.toNanos(59));
		add("third");
		this.clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
		add("fourth");
		assertThat(output.toString().lines().filter((line) -> line.contains("on the bus"))).satisfiesExactly(
				(line) -> assertThat(line).contains(" 1. ", "'first'"),
				(line) -> assertThat(line).contains(" 3. ", "'fourth'"));
	}

	@Test
	void showsTheBeginningOfAMessageOnOneLine(CapturedOutput output) {
		add("forged\nline " + "x".repeat(10_000));
		assertThat(output).contains("forged?line xxx").doesNotContain("x".repeat(UnreadableMessages.LONGEST));
	}

	private void add(String message) {
		this.messages.add(message, new NumberFormatException("For input string: " + message));
	}

}
