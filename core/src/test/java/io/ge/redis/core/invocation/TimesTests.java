// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.ge.redis.GuardConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What cannot be counted is refused, or counts as the nearest that can.
 */
class TimesTests {

	private static final List<Duration> TOO_LONG = List.of(Duration.ofSeconds(Long.MAX_VALUE),
			Duration.ofSeconds(Long.MIN_VALUE), Duration.ofMillis(Long.MAX_VALUE), Times.LONGEST.plusNanos(1));

	@Test
	void refusesWhatIsTooLong() {
		for (Duration duration : TOO_LONG) {
			assertThat(Times.isTooLong(duration)).isTrue();
			assertThatIllegalArgumentException().isThrownBy(() -> Times.millis("The block", duration, 1))
				.withMessage("The block must be between 1ms and 36525 days, but is " + duration);
		}
		assertThatIllegalArgumentException().isThrownBy(() -> Times.millis("The block", Duration.ofNanos(1), 1));
		assertThat(Times.millis("The block", Times.LONGEST, 1)).isEqualTo(Times.LONGEST.toMillis());
		assertThat(Times.isTooLong(null)).isFalse();
		assertThat(Times.LONGEST.toNanos()).isPositive();
	}

	@Test
	void refusesAnAttributeThatIsTooLong() throws Exception {
		GuardedMethod method = new GuardedMethod(Object.class.getMethod("toString"), Object.class, Deprecated.class);
		AttributeReader reader = new AttributeReader((text) -> text);
		assertThat(reader.duration(method, "ttl", "36525d")).isEqualTo(Times.LONGEST);
		for (String text : List.of("36526d", "9223372036854775807s", "-36526d")) {
			assertThatExceptionOfType(GuardConfigurationException.class)
				.isThrownBy(() -> reader.duration(method, "ttl", text))
				.withMessageContaining("ttl = \"" + text + "\" is too long. Write at most \"36525d\".");
		}
	}

	@ParameterizedTest
	@CsvSource({ "+1000000000-12-31T23:59:59.999999999Z, 253402300799000", "-1000000000-01-01T00:00:00Z, 0",
			"+10000-01-01T00:00:00Z, 253402300799000", "1970-01-01T00:00:01Z, 1000" })
	void countsAnInstantAsTheNearestThatCanBeCounted(String instant, long millis) {
		assertThat(Times.epochMilli(Instant.parse(instant))).isEqualTo(millis);
	}

}
