// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Messages name the property and what it may be.
 */
class PropertyChecksTests {

	@Test
	void refusesWhatIsTooSmall() {
		assertThatIllegalArgumentException().isThrownBy(() -> PropertyChecks.atLeast("a.b", 1, 0))
			.withMessage("a.b must be at least 1, was 0");
		assertThatIllegalArgumentException().isThrownBy(() -> PropertyChecks.atLeastMillis("a.b", 1, Duration.ZERO))
			.withMessage("a.b must be at least 1ms, was PT0S");
		PropertyChecks.atLeast("a.b", 1, 1);
		PropertyChecks.atLeastMillis("a.b", 1, null);
	}

	@Test
	void checksEachOfItsNamesAndValues() {
		List<String> checked = new ArrayList<>();
		PropertyChecks.each("a.b", Map.of("c", "value"), (value, place) -> checked.add(place + "=" + value));
		assertThat(checked).containsExactly("a.b.c=value");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> PropertyChecks.each("a.b", Map.of("{c}", "value"), (value, place) -> checked.clear()))
			.withMessageStartingWith("a.b.{c}: a name may have");
		assertThat(checked).hasSize(1);
	}

}
