// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Refresh tokens in the environment.
 *
 * @param enabled whether there is a bean of type `RefreshTokens`
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param lifetime longest time from the login to the end of a session, however often its
 * tokens are replaced; at most ge.redis.blacklist.max-token-lifetime, which is the
 * default if it is shorter than 30 days
 * @param grace time after its first use within which a token gets the same successor
 * again; a later use ends the session
 */
@ConfigurationProperties("ge.redis.refresh-tokens")
public record RefreshTokenProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@Nullable Duration lifetime, @DefaultValue("10s") Duration grace) {

	private static final Duration SHORTEST_LIFETIME = Duration.ofSeconds(1);

	/** Keeps instants within what Lua's doubles count exactly. */
	private static final Duration LONGEST_LIFETIME = Duration.ofDays(3660);

	/** A thief has as much time as a client. */
	private static final Duration LONGEST_GRACE = Duration.ofMinutes(5);

	public RefreshTokenProperties {
		if (lifetime != null) {
			requireWithin("lifetime", lifetime, SHORTEST_LIFETIME, LONGEST_LIFETIME);
		}
		requireWithin("grace", grace, Duration.ZERO, LONGEST_GRACE);
	}

	private static void requireWithin(String name, Duration value, Duration least, Duration most) {
		Assert.isTrue(value.compareTo(least) >= 0 && value.compareTo(most) <= 0, () -> "ge.redis.refresh-tokens." + name
				+ " must be between " + least.toSeconds() + "s and " + most.toSeconds() + "s, was " + value);
	}

}
