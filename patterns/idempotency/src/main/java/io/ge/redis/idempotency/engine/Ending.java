/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.engine;

import io.ge.redis.idempotency.record.RecordKind;
import org.jspecify.annotations.Nullable;

/**
 * The end of a claim.
 */
public sealed interface Ending {

	/**
	 * Its effect stands, or that of another call with the same key.
	 *
	 * @param result what it ended with, or {@code null} if that cannot be kept
	 * @param kind what that is
	 * @param fingerprint that of the other call, {@code null} for its own
	 */
	record Complete(byte @Nullable [] result, RecordKind kind, byte @Nullable [] fingerprint) implements Ending {

		public Complete(byte @Nullable [] value) {
			this(value, RecordKind.VALUE, null);
		}

		public Complete(byte @Nullable [] value, byte @Nullable [] fingerprint) {
			this(value, RecordKind.VALUE, fingerprint);
		}

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
