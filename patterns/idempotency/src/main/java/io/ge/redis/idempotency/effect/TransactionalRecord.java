/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.effect;

import org.jspecify.annotations.Nullable;

/**
 * The transactional record of a call: the proof that the call has had its effect.
 *
 * @param id stands for operation, scope and key
 * @param operation the operation's name, for those who look at the table
 * @param fence which claim it was
 * @param fingerprint what must be equal in a repetition
 * @param result what the call returned, or {@code null} if that was not known at the
 * commit or cannot be kept
 */
public record TransactionalRecord(String id, String operation, long fence, byte[] fingerprint,
		byte @Nullable [] result) {

	@Override
	public String toString() {
		return "effect of '" + this.operation + "'";
	}

}
