/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * The handle of a method that runs without a lock, since Redis is unavailable and the
 * policy allows it.
 *
 * @param name the name of the lock
 */
record NoLock(String name) implements LockHandle {

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
