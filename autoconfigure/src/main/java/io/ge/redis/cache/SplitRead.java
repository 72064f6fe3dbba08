/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import org.jspecify.annotations.Nullable;

/**
 * The state of a reader that loads by itself, between asking for a value and putting it.
 */
sealed interface SplitRead {

	/**
	 * The value is there.
	 *
	 * @param value the value, or {@code null} for absence
	 * @param access how it was found
	 * @param tier where it was found
	 */
	record Found(@Nullable Object value, CacheEvent.Access access, CacheEvent.Tier tier) implements SplitRead {
	}

	/**
	 * The value is to be loaded.
	 *
	 * @param miss what is known, with the lease if there is one
	 */
	record Missed(SplitMiss miss) implements SplitRead {
	}

	/**
	 * Another caller loads the value, for longer than this one may wait.
	 */
	record Late() implements SplitRead {
	}

}
