// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.math.BigDecimal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Amounts}.
 */
class AmountsTests {

	@ParameterizedTest
	@CsvSource({ "101.5000000000, 101.5", "100, 100", "1E+2, 100", "0.0000000000, 0", "0.0000000001, 0.0000000001",
			"-1.50, -1.5" })
	void writesPlainNumbersWithoutTrailingZeros(BigDecimal amount, String text) {
		assertThat(Amounts.text(amount)).isEqualTo(text);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1.5", "999999999999999999.9999999999", "1e17" })
	void acceptsWhatTheColumnsHold(BigDecimal amount) {
		assertThat(Amounts.require(amount)).isSameAs(amount);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1e18", "0.00000000001", "1e2147483647", "1e-2147483647" })
	void refusesWhatTheColumnsDoNotHold(BigDecimal amount) {
		assertThatIllegalArgumentException().isThrownBy(() -> Amounts.require(amount));
	}

	@Test
	void refusesNothing() {
		assertThatIllegalArgumentException().isThrownBy(() -> Amounts.require(null));
	}

}
