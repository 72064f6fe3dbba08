// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.core.call.SubscriberContext;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;

/**
 * The work that one thread is inside of, innermost first: transactions, writers whose
 * methods run, and loading. A subscriber has such work in its context, which propagates
 * to all that is subscribed to inside and is not changed there.
 */
final class OpenWork {

	/** Inside of nothing; stays empty. */
	static final OpenWork NONE = new OpenWork();

	final Deque<ThreadTransaction> transactions = new ArrayDeque<>(2);

	final Deque<CacheWrite> running = new ArrayDeque<>(2);

	final Deque<CacheKey> loading = new ArrayDeque<>(2);

	/**
	 * Returns the work of the subscriber with a context.
	 */
	static OpenWork of(@Nullable Object context) {
		OpenWork found = (context != null) ? SubscriberContext.find(context, OpenWork.class) : null;
		return (found != null) ? found : NONE;
	}

	/**
	 * Returns the context of a subscriber that is inside of more work.
	 */
	static Object with(Object context, Collection<CacheWrite> writes, Collection<CacheKey> keys) {
		OpenWork outer = of(context);
		OpenWork inner = new OpenWork();
		inner.running.addAll(writes);
		inner.running.addAll(outer.running);
		inner.loading.addAll(keys);
		inner.loading.addAll(outer.loading);
		return SubscriberContext.with(context, OpenWork.class, inner);
	}

	boolean isEmpty() {
		return this.transactions.isEmpty() && this.running.isEmpty() && this.loading.isEmpty();
	}

	boolean isWriting(CacheKey key) {
		for (CacheWrite write : this.running) {
			if (write.key.covers(key)) {
				return true;
			}
		}
		for (ThreadTransaction transaction : this.transactions) {
			if (transaction.isWriting(key)) {
				return true;
			}
		}
		return false;
	}

	boolean isInsideWriter(CacheKey key, boolean async) {
		return this.running.stream().anyMatch((write) -> (write.async || !async) && write.key.equals(key));
	}

	void dropValues(CacheKey key) {
		this.running.stream().filter((write) -> write.key.equals(key)).forEach(CacheWrite::dropValue);
	}

	/**
	 * Enters a transaction. Writers that it was begun for do not belong to the one around
	 * it.
	 */
	void begun(ThreadTransaction transaction, @Nullable String name) {
		this.transactions.push(transaction);
		for (CacheWrite write : this.running) {
			if (write.commits > 0 || !write.boundary.begins(name)) {
				break;
			}
			write.owner = null;
		}
	}

	/**
	 * Leaves a transaction that was completed while writers ran.
	 */
	void completed(ThreadTransaction transaction, int status) {
		boolean rolledBack = status == TransactionSynchronization.STATUS_ROLLED_BACK;
		if (!this.transactions.remove(transaction) || (transaction.isReadOnly() && !rolledBack)) {
			return;
		}
		for (CacheWrite write : this.running) {
			write.commits += rolledBack ? 0 : 1;
			write.rollbacks += (status == TransactionSynchronization.STATUS_COMMITTED) ? 0 : 1;
		}
	}

}
