/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import org.jspecify.annotations.Nullable;

/**
 * What Redis said to who asked for a lock.
 *
 * @param tokens the tokens, if the lock is held now, else {@code null}
 * @param leaseMillis the rest of the present lease, if it is not; negative if unknown
 * @param at when it was not, by the clock of the server in microseconds: what was granted
 * before has a lower token
 */
record LockAnswer(@Nullable TokenRange tokens, long leaseMillis, long at) {

	static LockAnswer acquired(TokenRange tokens) {
		return new LockAnswer(tokens, 0, 0);
	}

	static LockAnswer busy(long leaseMillis, long at) {
		return new LockAnswer(null, leaseMillis, at);
	}

}
