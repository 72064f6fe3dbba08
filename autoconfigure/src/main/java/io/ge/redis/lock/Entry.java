/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A lock that work may run under.
 *
 * @param lock the lock, or several
 * @param own what is given up after the work; nothing if an outer call holds it
 * @param shared what is kept for the work, while another thread may give it up
 */
record Entry(LockHandle lock, List<HeldLock> own, List<HeldLock> shared) {

	/**
	 * Returns what a method has that runs without a lock.
	 */
	static Entry none(String name) {
		return new Entry(new NoLock(name), List.of(), List.of());
	}

	/**
	 * Returns the locks of which the work must not be kept waiting.
	 */
	List<HeldLock> held() {
		List<HeldLock> held = new ArrayList<>(this.shared);
		held.addAll(this.own);
		return held;
	}

	/**
	 * Gives up what was taken for nothing.
	 * @return completes, never exceptionally, when nobody is kept from it any more
	 */
	CompletableFuture<Void> giveBack() {
		return leave(HeldLocks.giveUp(this.own, HeldLock::giveBack));
	}

	/**
	 * Gives up the locks after the work.
	 * @return as {@link #giveBack()}
	 */
	CompletableFuture<Void> release() {
		return leave(HeldLocks.giveUp(this.own, HeldLock::release));
	}

	// Whoever has taken a shared one may have left before, and it is given up now
	private CompletableFuture<Void> leave(CompletableFuture<Void> givenUp) {
		return this.shared.isEmpty() ? givenUp
				: CompletableFuture.allOf(givenUp, HeldLocks.giveUp(this.shared, HeldLock::leave));
	}

}
