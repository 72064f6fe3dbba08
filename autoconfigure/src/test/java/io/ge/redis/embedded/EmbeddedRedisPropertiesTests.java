// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link EmbeddedRedisProperties}.
 */
class EmbeddedRedisPropertiesTests {

	@Test
	void isEnabledOnFreePortByDefault() {
		EmbeddedRedisProperties properties = new Binder(new MapConfigurationPropertySource(Map.of()))
			.bindOrCreate("ge.redis.embedded", EmbeddedRedisProperties.class);
		assertThat(properties).isEqualTo(new EmbeddedRedisProperties(true, 0));
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 65_536 })
	void refusesWhatIsNoPort(int port) {
		assertThatIllegalArgumentException().isThrownBy(() -> new EmbeddedRedisProperties(true, port))
			.withMessage("'port' must be between 0 and 65535 but is " + port);
	}

}
