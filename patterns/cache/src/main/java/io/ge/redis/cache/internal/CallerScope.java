// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.transaction.SubscriberTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * The surroundings of a call: what is bound to the thread on which it begins, and what
 * its subscriber has in its context.
 */
final class CallerScope {

	private final CacheTransactions thread;

	private final ReactiveCacheTransactions reactive;

	private final OpenWork outer;

	private final @Nullable TransactionSynchronizationManager transaction;

	/**
	 * Reads the scope of the current thread.
	 * @param context the context of the subscriber, or {@code null} if there is none
	 */
	CallerScope(CacheTransactions thread, ReactiveCacheTransactions reactive, @Nullable Object context) {
		this.thread = thread;
		this.reactive = reactive;
		this.outer = OpenWork.of(context);
		this.transaction = (context != null) ? SubscriberTransactions.find(context) : null;
	}

	boolean isWriting(CacheKey key) {
		if (this.thread.isWriting(key) || this.outer.isWriting(key)) {
			return true;
		}
		OpenTransaction changes = (this.transaction != null) ? ReactiveCacheTransactions.known(this.transaction) : null;
		return changes != null && changes.isWriting(key);
	}

	boolean isLoading(CacheKey key) {
		return this.thread.known().loading.contains(key) || this.outer.loading.contains(key);
	}

	/**
	 * Returns whether a writer of an entry is under way that does not end before this
	 * call. What is written inside of it is part of it.
	 */
	boolean isInsideWriter(CacheKey key) {
		return this.thread.known().isInsideWriter(key, true) || this.outer.isInsideWriter(key, false);
	}

	void dropValues(CacheKey key) {
		this.thread.known().dropValues(key);
		this.outer.dropValues(key);
	}

	boolean isInSubscribersTransaction() {
		return this.transaction != null;
	}

	/**
	 * Returns the transaction of the subscriber, else the one of the calling thread, or
	 * {@code null} if there is none.
	 */
	@Nullable OpenTransaction transaction() {
		return (this.transaction != null) ? this.reactive.changes(this.transaction) : this.thread.join();
	}

	Snapshot snapshot() {
		return (this.transaction != null) ? this.reactive.snapshot(this.transaction) : this.thread.snapshot();
	}

}
