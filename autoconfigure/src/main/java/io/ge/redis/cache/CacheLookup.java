/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import org.jspecify.annotations.Nullable;

/**
 * What the engine says to a reader.
 */
sealed interface CacheLookup {

	/**
	 * The value is there.
	 *
	 * @param value its bytes
	 */
	record Found(byte[] value) implements CacheLookup {
	}

	/**
	 * The value is to be loaded.
	 *
	 * @param permit leave to store it, which must be used or given back; {@code null} if
	 * it is not to be stored
	 * @param bypassed whether the cache was passed by rather than found empty
	 * @param replacing whether there was a value that cannot be read
	 */
	record Load(@Nullable Permit permit, boolean bypassed, boolean replacing) implements CacheLookup {

		static final Load BYPASS = new Load(null, true, false);

		static final Load UNSTORED = new Load(null, false, false);

	}

	/**
	 * Leave to store one entry.
	 */
	interface Permit {

	}

}
