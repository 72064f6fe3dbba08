/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.blacklist;

import java.time.Duration;

/**
 * A revocation or blocking that Redis has taken.
 */
public interface Revocation {

	/**
	 * Returns whether anything is stored.
	 * @return {@code false} if the token had expired, so that there was nothing to do
	 */
	default boolean isStored() {
		return !timeToLive().isZero();
	}

	/**
	 * Returns how long it stands in Redis.
	 * @return the time from now, zero if nothing is stored
	 */
	Duration timeToLive();

}
