// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A contradiction shows what differs, and nothing else.
 */
class NamedSettingsTests {

	@ParameterizedTest
	@MethodSource
	void showsWhatDiffers(Object there, Object here, String shown) {
		NamedSettings<Object> settings = new NamedSettings<>();
		settings.register("orders", there, "there()", (problem, remedy) -> new GuardConfigurationException("", "", ""));
		assertThatIllegalStateException()
			.isThrownBy(() -> settings.register("orders", here, "here()", (problem, remedy) -> {
				throw new IllegalStateException(problem);
			}))
			.withMessage("the name 'orders' is used with other settings on there() (" + shown + ").");
	}

	static List<Arguments> showsWhatDiffers() {
		Sample sample = new Sample("orders", Duration.ofSeconds(1), null, new Inner(3));
		return Arrays.asList(
				arguments(sample, new Sample("orders", Duration.ofSeconds(2), null, new Inner(3)),
						"ttl=PT1S there, ttl=PT2S here"),
				arguments(sample, new Sample("orders", Duration.ofSeconds(2), 5L, new Inner(3)),
						"ttl=PT1S there, ttl=PT2S here; most=null there, most=5 here"),
				arguments(sample, new Sample("orders", Duration.ofSeconds(1), null, new Inner(4)),
						"permits=3 there, permits=4 here"),
				arguments(List.of(new Inner(1), new Inner(2)), List.of(new Inner(1), new Inner(3)),
						"permits=2 there, permits=3 here"),
				arguments(new Inner(1), List.of(1, 2, 3), "Inner[permits=1] there, [1, 2, 3] here"),
				arguments("write-through", "write-behind", "write-through there, write-behind here"));
	}

	record Sample(String name, Duration ttl, @Nullable Long most, Inner inner) {
	}

	record Inner(int permits) {
	}

}
