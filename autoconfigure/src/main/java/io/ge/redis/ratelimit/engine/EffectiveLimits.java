/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.time.Duration;
import java.util.List;

import io.ge.redis.ratelimit.RateLimit;

/**
 * The limits of a caller now, after all changes made at run time. Asked for each request,
 * so it answers from memory.
 */
public interface EffectiveLimits {

	/**
	 * Returns the settings that apply to a key.
	 * @param base the limit as defined
	 * @param key whom it limits, empty if it is a limit for all callers together
	 * @return the same limit, or one of the same name and algorithm
	 */
	RateLimit effective(RateLimit base, List<String> key);

	/**
	 * Returns how long a key is blocked by hand.
	 * @param base the limit as defined
	 * @param key whom it limits
	 * @return the time that remains, zero if the key is not blocked
	 */
	Duration blockedFor(RateLimit base, List<String> key);

	/**
	 * Returns limits that stay as they are defined.
	 * @return the limits
	 */
	static EffectiveLimits unchanged() {
		return new EffectiveLimits() {

			@Override
			public RateLimit effective(RateLimit base, List<String> key) {
				return base;
			}

			@Override
			public Duration blockedFor(RateLimit base, List<String> key) {
				return Duration.ZERO;
			}

		};
	}

}
