// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.event.ApplicationEventsTests.First;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GuardEvents}.
 */
@ExtendWith(OutputCaptureExtension.class)
class GuardEventsTests {

	@Test
	void listenersThatCannotBeCreatedFailNoCallAndAreReportedOnce(CapturedOutput output) {
		List<GuardEvent> received = new ArrayList<>();
		Deque<Supplier<List<GuardListener>>> lookups = new ArrayDeque<>(
				List.of(this::fail, this::fail, () -> List.of(received::add)));
		GuardEvents events = new GuardEvents(() -> lookups.remove().get());
		for (String name : List.of("a", "b", "c", "d")) {
			events.publish(new First(name));
		}
		assertThat(received).extracting(GuardEvent::name).containsExactly("c", "d");
		assertThat(output).containsOnlyOnce("Events reach no listener").containsOnlyOnce("no such listener");
	}

	private List<GuardListener> fail() {
		BeanCreationException failure = new BeanCreationException("no such listener");
		failure.setStackTrace(new StackTraceElement[0]); // the log of a passing build has
															// none
		throw failure;
	}

}
