/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.core.call.SubscriberContext;
import io.ge.redis.core.transaction.SubscriberTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * The surroundings of a call: what is bound to the thread on which it begins, and what
 * its subscriber has in its context.
 */
public final class CallerScope {

	private final CacheTransactions thread;

	private final ReactiveCacheTransactions reactive;

	private final @Nullable Object context;

	private final @Nullable CacheScope outer;

	private final @Nullable TransactionSynchronizationManager transaction;

	/**
	 * Looks at what is around the current thread.
	 * @param context the context of the subscriber, or {@code null} if there is none
	 */
	public CallerScope(CacheTransactions thread, ReactiveCacheTransactions reactive, @Nullable Object context) {
		this.thread = thread;
		this.reactive = reactive;
		this.context = context;
		this.outer = (context != null) ? SubscriberContext.find(context, CacheScope.class) : null;
		this.transaction = (context != null) ? SubscriberTransactions.find(context) : null;
	}

	/**
	 * Returns the context of the subscriber, or {@code null} if there is none.
	 */
	public @Nullable Object context() {
		return this.context;
	}

	public boolean isWriting(CacheKey key) {
		if (this.thread.isWriting(key) || (this.outer != null && this.outer.isWriting(key))) {
			return true;
		}
		ReactiveChanges changes = (this.transaction != null)
				? SubscriberTransactions.participant(this.transaction, ReactiveChanges.class) : null;
		return changes != null && changes.isWriting(key);
	}

	public boolean isLoading(CacheKey key) {
		return this.thread.isLoading(key) || (this.outer != null && this.outer.isLoading(key));
	}

	/**
	 * Returns whether a writer of an entry is under way that does not end before this
	 * call. What is written inside of it is part of it.
	 */
	boolean isInsideWriter(CacheKey key) {
		return this.thread.isInsideAsyncWriter(key) || (this.outer != null && this.outer.isInsideWriter(key));
	}

	void dropValues(CacheKey key) {
		this.thread.dropValues(key);
		if (this.outer != null) {
			this.outer.dropValues(key);
		}
	}

	/**
	 * Returns whether there is a transaction of the calling thread, and none of the
	 * subscriber.
	 */
	boolean isThreadInTransaction() {
		return this.transaction == null && org.springframework.transaction.support.TransactionSynchronizationManager
			.isActualTransactionActive();
	}

	/**
	 * Returns as of when the database is seen.
	 */
	public Snapshot snapshot() {
		return (this.transaction != null) ? this.reactive.snapshot(this.transaction) : this.thread.snapshot();
	}

	/**
	 * Returns what the subscriber's transaction changes.
	 * @return its changes, or {@code null} if there is none
	 */
	@Nullable ReactiveChanges changes() {
		return (this.transaction != null) ? this.reactive.changes(this.transaction) : null;
	}

	/**
	 * Adds to a context that an entry is being loaded.
	 */
	public static Object loading(Object inner, CacheKey key) {
		return loading(inner, Set.of(key));
	}

	/**
	 * Adds to a context that entries are being loaded.
	 */
	public static Object loading(Object inner, Collection<CacheKey> keys) {
		return with(inner, Set.copyOf(keys), List.of());
	}

	/**
	 * Adds to a context that entries are being written.
	 */
	Object writing(Object inner, List<CacheWrite> writes) {
		return with(inner, Set.of(), writes);
	}

	private static Object with(Object inner, Set<CacheKey> loading, List<CacheWrite> writing) {
		return SubscriberContext.with(inner, CacheScope.class,
				new CacheScope(SubscriberContext.find(inner, CacheScope.class), loading, writing));
	}

}
