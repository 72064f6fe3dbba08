// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.batch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for a call of a {@link Batcher}, and the number of calls in
 * flight.
 * <p>
 * No lock: a request that waits is pushed on a stack, and a completed call takes the
 * whole stack. After a push, the caller checks for a place once more, since the last call
 * in flight may have completed in between.
 */
public final class BatchQueue<R, A> {

	final AtomicReference<@Nullable Entry<R, A>> last = new AtomicReference<>();

	final AtomicInteger inFlight = new AtomicInteger();

	private final AtomicBoolean watched = new AtomicBoolean();

	/** Whether calls take too long to wait for one. */
	volatile boolean slow;

	private volatile long lastBegan;

	/**
	 * Adds a request that waits.
	 * @return {@code false} if those that wait already cannot share a call with it
	 */
	boolean add(Entry<R, A> entry, BiPredicate<R, R> alike) {
		Entry<R, A> present;
		do {
			present = this.last.get();
			if (present != null && !alike.test(present.request, entry.request)) {
				return false;
			}
			entry.previous = present;
			entry.position = (present != null) ? present.position + 1 : 1;
			entry.oldestSince = (present != null) ? present.oldestSince : entry.since;
		}
		while (!this.last.compareAndSet(present, entry));
		return true;
	}

	/**
	 * Takes all requests that wait, the oldest first.
	 */
	Deque<Entry<R, A>> takeAll() {
		Deque<Entry<R, A>> all = new ArrayDeque<>();
		for (Entry<R, A> entry = this.last.getAndSet(null); entry != null; entry = entry.previous) {
			all.addFirst(entry);
		}
		return all;
	}

	/**
	 * Takes a place in flight if one is free or if waiting for one is not worth it.
	 * @param longestNanos the longest time that is worth waiting
	 */
	boolean begin(int mostInFlight, long longestNanos, long now) {
		int present;
		do {
			present = this.inFlight.get();
			if (present >= mostInFlight && !this.slow && now - this.lastBegan <= longestNanos) {
				return false;
			}
		}
		while (!this.inFlight.compareAndSet(present, present + 1));
		this.lastBegan = now;
		return true;
	}

	/**
	 * Takes a place in flight in any case.
	 */
	void begin(long now) {
		this.inFlight.incrementAndGet();
		this.lastBegan = now;
	}

	/**
	 * Begins to watch the queue if a request waits and no timer watches it.
	 * @return whether the caller is to look for overdue requests later
	 */
	boolean watch() {
		return this.last.get() != null && this.watched.compareAndSet(false, true);
	}

	/**
	 * Ends to watch the queue unless a request waits.
	 * @return whether the caller is to look again
	 */
	boolean keepWatching() {
		if (this.last.get() != null) {
			return true;
		}
		this.watched.set(false);
		return watch();
	}

	static final class Entry<R, A> extends CompletableFuture<A> {

		final R request;

		final CallBudget budget;

		final long since;

		/** These are set while the request is pushed on the stack of its queue. */
		@Nullable Entry<R, A> previous;

		int position = 1;

		long oldestSince;

		private long paidUntil;

		Entry(R request, CallBudget budget, long now) {
			this.request = request;
			this.budget = budget;
			this.since = now;
			this.oldestSince = now;
			this.paidUntil = now;
		}

		/**
		 * Charges the budget with the time since the last payment.
		 */
		void pay(long now) {
			this.budget.spend(now - this.paidUntil);
			this.paidUntil = now;
		}

		void settle(@Nullable A answer, @Nullable Throwable failure) {
			if (answer != null) {
				complete(answer);
			}
			else {
				completeExceptionally((failure != null) ? failure : new IllegalStateException("No answer"));
			}
		}

	}

}
