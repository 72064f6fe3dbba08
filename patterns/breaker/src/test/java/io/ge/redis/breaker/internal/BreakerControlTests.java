// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.List;
import java.util.Map;

import io.ge.redis.breaker.BreakerProperties;
import io.ge.redis.core.endpoint.GuardRequest;
import io.ge.redis.core.endpoint.GuardRequestException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link BreakerControl}.
 */
class BreakerControlTests {

	@ParameterizedTest
	@CsvSource({ "0s, between 1ms and 365d", "366d, between 1ms and 365d", "200000000000d, at most \"36525d\"" })
	void refusesToForceABreakerForEver(String duration, String remedy) {
		BreakerProperties none = new Binder(new MapConfigurationPropertySource()).bindOrCreate("ge.redis.breaker",
				BreakerProperties.class);
		BreakerControl breakers = new BreakerControl(new BreakerRegistry(() -> none), () -> {
			throw new IllegalStateException("The duration is checked first");
		});
		GuardRequest request = new GuardRequest(List.of("supplier"),
				Map.of("state", "FORCED_OPEN", "reason", "test", "duration", duration));
		assertThatExceptionOfType(GuardRequestException.class).isThrownBy(() -> breakers.write(request))
			.withMessageContaining(remedy)
			.satisfies((refusal) -> assertThat(refusal.status()).isEqualTo(400));
	}

}
