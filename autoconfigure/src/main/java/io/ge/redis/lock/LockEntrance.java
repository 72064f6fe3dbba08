/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.lock.Entering.CallChain;

/**
 * Lets annotated methods enter their locks.
 */
abstract class LockEntrance implements DistributedLocks {

	/**
	 * Enters locks without waiting.
	 * @param keys one, or several that are locked together
	 * @param chain finds what the call chain holds
	 * @return completes with what came of it; may be cancelled
	 */
	abstract CompletableFuture<Entered> enter(LockSettings settings, List<List<String>> keys, boolean together,
			CallChain chain);

	abstract boolean isOf(HeldLock lock, RedisLockKey key);

}
