// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.auth;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link JwtConfiguration}.
 */
class JwtConfigurationTests {

	private final JwtConfiguration configuration = new JwtConfiguration();

	@Test
	void usesConfiguredKey() {
		String text = "0123456789abcdef0123456789abcdef";
		assertThat(this.configuration.jwtKey(text).getEncoded()).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void generatesKeyOnlyWhereThereIsNone() {
		byte[] first = this.configuration.jwtKey("").getEncoded();
		assertThat(first).hasSize(32).isNotEqualTo(this.configuration.jwtKey("").getEncoded());
	}

	@Test
	void refusesShortKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.configuration.jwtKey("short"))
			.withMessageContaining("sample.jwt-key")
			.withMessageContaining("32");
	}

}
