// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * One lock as this instance sees it, while it has the lock or wants it. A lock that
 * several may hold has one for each caller, since each of them waits in Redis by itself.
 * Guarded by {@link LocalLocks}.
 */
final class LocalLock {

	final RedisLockKey key;

	final RedisLocks redis;

	final Deque<LockRequest> waiters = new ArrayDeque<>(2);

	/** While this instance has the lock. */
	@Nullable LockLease lease;

	/** Whether the lease lies between two sections. */
	boolean open;

	/**
	 * The caller whose lease replicas confirm before its first section. Stays among the
	 * waiters until then.
	 */
	@Nullable LockRequest confirming;

	/** Whether the first waiter is about to be served. */
	boolean serving;

	/** This instance as a waiter, while it does not have the lock. */
	@Nullable QueuedWaiter queued;

	/** Time at which the lock is free by the last answer of Redis. */
	@Nullable Long freeAt;

	LocalLock(RedisLockKey key, RedisLocks redis) {
		this.key = key;
		this.redis = redis;
	}

	@Nullable Long freeAt() {
		return (this.lease == null) ? this.freeAt : null;
	}

	boolean isIdle() {
		return this.waiters.isEmpty() && this.lease == null && this.queued == null;
	}

}
