/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock.guard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockLostException;
import io.ge.redis.lock.engine.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock that work may run under.
 *
 * @param lock the lock, or several
 * @param own what is given up after the work; nothing if an outer call holds it
 * @param shared what is kept for the work, while another thread may give it up
 */
record HeldLocks(LockHandle lock, List<HeldLock> own, List<HeldLock> shared) {

	/**
	 * Returns what a method has that runs without a lock.
	 */
	static HeldLocks none(String name) {
		return new HeldLocks(new NoLock(name), List.of(), List.of());
	}

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
		return leave(giveUp(this.own, HeldLock::giveBack));
	}

	/**
	 * Gives up the locks after the work.
	 * @return as {@link #giveBack()}
	 */
	CompletableFuture<Void> release() {
		return leave(giveUp(this.own, HeldLock::release));
	}

	/**
	 * Gives up locks, the last one first.
	 * @param release gives one up
	 * @return completes, never exceptionally, when all are given up
	 */
	static CompletableFuture<Void> giveUp(List<HeldLock> locks, Function<HeldLock, CompletableFuture<Void>> release) {
		CompletableFuture<?>[] releases = new CompletableFuture<?>[locks.size()];
		for (int i = 0; i < releases.length; i++) {
			releases[i] = release.apply(locks.get(releases.length - 1 - i));
		}
		return CompletableFuture.allOf(releases);
	}

	// Whoever has taken a shared one may have left before, and it is given up now
	private CompletableFuture<Void> leave(CompletableFuture<Void> givenUp) {
		return this.shared.isEmpty() ? givenUp : CompletableFuture.allOf(givenUp, giveUp(this.shared, HeldLock::leave));
	}

	/**
	 * The handle of a method that runs without a lock, since Redis is unavailable and the
	 * policy allows it.
	 *
	 * @param name the name of the lock
	 */
	private record NoLock(String name) implements LockHandle {

		@Override
		public long token() {
			return 0;
		}

		@Override
		public boolean isValid() {
			return false;
		}

		@Override
		public Duration remaining() {
			return Duration.ZERO;
		}

		@Override
		public void assertHeld() {
			throw new LockLostException(this.name);
		}

		@Override
		public void close() {
			// nothing is held
		}

		@Override
		public CompletionStage<@Nullable Void> closeAsync() {
			return CompletableFuture.completedStage(null);
		}

	}

}
