// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.Snapshot;
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

	private final Surroundings outer;

	private final @Nullable TransactionSynchronizationManager transaction;

	/**
	 * Reads the scope of the current thread.
	 * @param context the context of the subscriber, or {@code null} if there is none
	 */
	public CallerScope(CacheTransactions thread, ReactiveCacheTransactions reactive, @Nullable Object context) {
		this.thread = thread;
		this.reactive = reactive;
		this.outer = Surroundings.of(context);
		this.transaction = (context != null) ? SubscriberTransactions.find(context) : null;
	}

	public boolean isWriting(CacheKey key) {
		if (this.thread.isWriting(key)) {
			return true;
		}
		// No streams here, which every reader passes
		if (this.outer.writing.stream().anyMatch((write) -> write.key.covers(key))) {
			return true;
		}
		OpenTransaction changes = (this.transaction != null) ? ReactiveCacheTransactions.known(this.transaction) : null;
		return changes != null && changes.isWriting(key);
	}

	public boolean isLoading(CacheKey key) {
		return this.thread.isLoading(key) || this.outer.loading.contains(key);
	}

	/**
	 * Returns whether a writer of an entry is under way that does not end before this
	 * call. What is written inside of it is part of it.
	 */
	boolean isInsideWriter(CacheKey key) {
		return this.thread.isInsideAsyncWriter(key)
				|| this.outer.writing.stream().anyMatch((write) -> write.key.equals(key));
	}

	void dropValues(CacheKey key) {
		this.thread.dropValues(key);
		this.outer.writing.stream().filter((write) -> write.key.equals(key)).forEach(CacheWrite::dropValue);
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

	public Snapshot snapshot() {
		return (this.transaction != null) ? this.reactive.snapshot(this.transaction) : this.thread.snapshot();
	}

	public static Object loading(Object inner, Collection<CacheKey> keys) {
		Surroundings outer = Surroundings.of(inner);
		Set<CacheKey> all = new HashSet<>(keys);
		all.addAll(outer.loading);
		return SubscriberContext.with(inner, Surroundings.class, new Surroundings(all, outer.writing));
	}

	static Object writing(Object inner, List<CacheWrite> writes) {
		Surroundings outer = Surroundings.of(inner);
		List<CacheWrite> all = new ArrayList<>(writes);
		all.addAll(outer.writing);
		return SubscriberContext.with(inner, Surroundings.class, new Surroundings(outer.loading, all));
	}

	/**
	 * The loads and writers that a subscriber is inside of. Propagates in its context, to
	 * all that is subscribed to inside.
	 */
	private record Surroundings(Set<CacheKey> loading, List<CacheWrite> writing) {

		private static final Surroundings NONE = new Surroundings(Set.of(), List.of());

		static Surroundings of(@Nullable Object context) {
			Surroundings found = (context != null) ? SubscriberContext.find(context, Surroundings.class) : null;
			return (found != null) ? found : NONE;
		}

	}

}
