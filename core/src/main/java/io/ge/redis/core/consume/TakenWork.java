/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The answer of a source that was asked for work.
 *
 * @param deliveries what was taken, at most as many as were asked for
 * @param more whether there may be more to take at once
 * @param due the time until something is to be tried again, or {@code null} if nothing is
 * known to be
 * @param <T> the messages of the source
 */
public record TakenWork<T>(List<Delivery<T>> deliveries, boolean more, @Nullable Duration due) {

	/**
	 * Returns the answer of a source that has nothing.
	 * @param <T> the messages of the source
	 */
	public static <T> TakenWork<T> none() {
		return new TakenWork<>(List.of(), false, null);
	}

}
