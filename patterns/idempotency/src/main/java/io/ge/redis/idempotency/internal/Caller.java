// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import org.jspecify.annotations.Nullable;

/**
 * The owner of a key.
 *
 * @param issuer the issuer that has named the principal, or {@code null} if names are
 * unique without one
 */
record Caller(@Nullable String issuer, String name) {

	@Override
	public String toString() {
		return "principal";
	}

}
