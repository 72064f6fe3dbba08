// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link GuardRequest}.
 */
class GuardRequestTests {

	@ParameterizedTest
	@CsvSource({ "300ms, PT0.3S", "PT1H, PT1H", "36525d, P36525D" })
	void readsDurations(String text, Duration duration) {
		assertThat(request(text).duration("duration")).isEqualTo(duration);
	}

	@ParameterizedTest
	@CsvSource({ "soon, such as 10s", "60, Write \"60s\"", "36526d, at most \"36525d\"",
			"200000000000d, at most \"36525d\"", "-200000000000d, at most \"36525d\"",
			"9223372036854775807d, such as 10s" })
	void refusesDurations(String text, String remedy) {
		assertThatExceptionOfType(GuardRequestException.class)
			.isThrownBy(() -> request(text).duration("duration").toMillis())
			.withMessageContaining(text)
			.withMessageContaining(remedy)
			.satisfies((refusal) -> assertThat(refusal.status()).isEqualTo(400));
	}

	private static GuardRequest request(String duration) {
		return new GuardRequest(List.of(), Map.of("duration", duration));
	}

}
