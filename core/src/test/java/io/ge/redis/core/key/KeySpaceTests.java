// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.key;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KeySpaceTests {

	private final KeySpace keys = new KeySpace("ge", "lock");

	@Test
	void entityIsTheHashTag() {
		RedisKey key = this.keys.entity(KeyPart.of("orders"), KeyPart.of("42"));
		assertThat(key).hasToString("ge:lock:{orders:42}");
		assertThat(key.with(KeyPart.of("q"))).hasToString("ge:lock:{orders:42}:q");
	}

	@Test
	void slotsAreThoseOfTheSpecification() {
		assertThat(ClusterSlots.of("123456789".getBytes())).isEqualTo(12739);
		assertThat(ClusterSlots.of("{user1000}.following".getBytes()))
			.isEqualTo(ClusterSlots.of("{user1000}.followers".getBytes()));
	}

	@Test
	void ordinaryTextStaysReadable() {
		assertThat(this.keys.entity(KeyPart.of("anna@example.org/ü"))).hasToString("ge:lock:{anna@example.org/ü}");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a{b", "a}b", "a b", "a\nb" })
	void refusesPrefixThatWouldBreakTheLayout(String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> new KeySpace(prefix, "lock"))
			.withMessageContaining(prefix);
	}

}
