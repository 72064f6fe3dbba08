/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.List;

import io.ge.redis.lock.DistributedLocks.LockedWork;
import org.jspecify.annotations.Nullable;

/**
 * Work under a lock that is written as code.
 *
 * @param settings the lock
 * @param keys what is locked
 * @param isTogether whether it is several keys that are locked together
 * @param work what is done
 */
record LockedCode(LockSettings settings, List<List<String>> keys, boolean isTogether,
		LockedWork<?, ?> work) implements LockedCall.Task {

	@Override
	public boolean isDoneWithoutLock() {
		return false;
	}

	@Override
	public @Nullable Object start(LockHandle lock) throws Throwable {
		return this.work.run(lock);
	}

}
