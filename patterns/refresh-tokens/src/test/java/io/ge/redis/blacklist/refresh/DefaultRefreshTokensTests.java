// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.time.Duration;
import java.util.List;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.test.TestCalls;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DefaultRefreshTokens} without Redis.
 */
class DefaultRefreshTokensTests {

	@Test
	void callersGetTheErrorOfAListener() {
		RefreshTokens tokens = new DefaultRefreshTokens(
				new RefreshTokenProperties(true, null, null, Duration.ofSeconds(10)), Duration.ofDays(30), () -> {
					throw new IllegalStateException("Redis is not needed");
				}, TokenBlacklist::unguarded, new GuardEvents(() -> List.of(DefaultRefreshTokensTests::fail)),
				TestCalls.plain());
		assertThat(tokens.rotateAsync("unknown")).isCompletedExceptionally();
		assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> tokens.rotate("unknown"));
	}

	private static void fail(GuardEvent event) {
		throw new NoClassDefFoundError(event.name());
	}

}
