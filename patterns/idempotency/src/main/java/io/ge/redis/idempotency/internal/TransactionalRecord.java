// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import org.jspecify.annotations.Nullable;

/**
 * The proof that a call has had its effect.
 *
 * @param result what the call returned, or {@code null} if that was not known at the
 * commit or cannot be kept
 */
record TransactionalRecord(String id, String operation, long fence, byte[] fingerprint, byte @Nullable [] result) {

	@Override
	public String toString() {
		return "effect of '" + this.operation + "'";
	}

}
