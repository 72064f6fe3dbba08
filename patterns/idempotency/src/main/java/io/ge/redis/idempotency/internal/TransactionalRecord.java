// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import org.jspecify.annotations.Nullable;

/**
 * The proof that a call has had its effect.
 *
 * @param result the result of the call, or {@code null} if it was unknown at the commit
 * or cannot be kept
 */
record TransactionalRecord(String id, String operation, long fence, byte[] fingerprint, byte @Nullable [] result) {

	@Override
	public String toString() {
		return "effect of '" + this.operation + "'";
	}

}
