/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * What a call that was claimed leaves behind.
 */
sealed interface Ending {

	/**
	 * Its effect stands.
	 *
	 * @param result what it returned, or {@code null} if that cannot be kept
	 */
	record Complete(byte @Nullable [] result) implements Ending {
	}

	/**
	 * It has changed nothing.
	 */
	record Release() implements Ending {
	}

	/**
	 * Nobody knows whether it has changed anything.
	 */
	record Unknown() implements Ending {
	}

}
