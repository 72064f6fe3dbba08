// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import org.jspecify.annotations.Nullable;

/**
 * The answer of Redis to a call that asked for a lock.
 *
 * @param tokens the tokens, if the lock is held now, else {@code null}
 * @param leaseMillis the rest of the present lease if another holds it; negative if
 * unknown
 * @param kept whether no caller is at work under that lease, so that it ends then and not
 * before
 */
record LockAnswer(@Nullable TokenRange tokens, long leaseMillis, boolean kept) {

	/**
	 * Returns when the lock is free, by the clock of this instance, if that is known.
	 */
	@Nullable Long freeAt() {
		return this.kept ? System.nanoTime() + this.leaseMillis * 1_000_000 : null;
	}

	/**
	 * The answer of Redis to a release.
	 *
	 * @param mine whether the handle still held the lock
	 * @param elsewhere whether another has it now
	 * @param tokens the tokens with which this instance has it again, if it does
	 */
	public record Released(boolean mine, boolean elsewhere, @Nullable TokenRange tokens) {
	}

	/**
	 * Fencing tokens that are this instance's alone, to be used in their order.
	 */
	public record TokenRange(long first, long last) {
	}

}
