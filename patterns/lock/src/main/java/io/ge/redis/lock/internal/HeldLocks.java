// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.ge.redis.lock.BoundLocks;
import io.ge.redis.lock.LockHandle;

/**
 * A lock that work may run under.
 *
 * @param own what is given up after the work; nothing if an outer call holds it
 * @param shared what is kept for the work, while another thread may give it up
 */
record HeldLocks(LockHandle lock, List<HeldLock> own, List<HeldLock> shared) {

	static HeldLocks none(String name) {
		return new HeldLocks(BoundLocks.none(name), List.of(), List.of());
	}

	List<HeldLock> held() {
		if (this.shared.isEmpty()) {
			return this.own;
		}
		List<HeldLock> held = new ArrayList<>(this.shared);
		held.addAll(this.own);
		return held;
	}

	/**
	 * Releases the locks of an abandoned call.
	 * @return completes, never exceptionally, when they exclude no other caller any more
	 */
	CompletableFuture<Void> releaseUnused() {
		return leave(giveUp(this.own, HeldLock::releaseUnused));
	}

	/**
	 * Gives up the locks after the work.
	 */
	CompletableFuture<Void> release() {
		return leave(giveUp(this.own, HeldLock::release));
	}

	/**
	 * Gives up locks, the last one first.
	 * @return completes, never exceptionally, when all are given up
	 */
	static CompletableFuture<Void> giveUp(List<HeldLock> locks, Function<HeldLock, CompletableFuture<Void>> release) {
		if (locks.size() == 1) {
			return release.apply(locks.get(0));
		}
		CompletableFuture<?>[] releases = new CompletableFuture<?>[locks.size()];
		for (int i = 0; i < releases.length; i++) {
			releases[i] = release.apply(locks.get(releases.length - 1 - i));
		}
		return CompletableFuture.allOf(releases);
	}

	// If the call that took a shared lock has ended already, leaving releases it
	private CompletableFuture<Void> leave(CompletableFuture<Void> givenUp) {
		return this.shared.isEmpty() ? givenUp : CompletableFuture.allOf(givenUp, giveUp(this.shared, HeldLock::leave));
	}

}
