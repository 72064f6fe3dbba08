// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import org.jspecify.annotations.Nullable;

/**
 * The end of a claim.
 */
sealed interface Ending {

	/**
	 * Its effect, or the effect of another call with the same key, is final.
	 *
	 * @param result its result, or {@code null} if that cannot be kept
	 * @param fingerprint the fingerprint of the other call, {@code null} for its own
	 */
	record Complete(byte @Nullable [] result, RecordKind kind, byte @Nullable [] fingerprint) implements Ending {

		public Complete(byte @Nullable [] value) {
			this(value, RecordKind.VALUE, null);
		}

		public Complete(byte @Nullable [] value, byte @Nullable [] fingerprint) {
			this(value, RecordKind.VALUE, fingerprint);
		}

	}

	record Release() implements Ending {
	}

	record Unknown() implements Ending {
	}

}
