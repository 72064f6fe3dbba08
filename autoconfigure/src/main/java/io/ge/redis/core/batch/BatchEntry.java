/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.batch;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * A request in a queue or in flight, and the future of its answer.
 *
 * @param <R> the type of the requests
 * @param <A> the type of the answers
 */
final class BatchEntry<R, A> extends CompletableFuture<A> {

	private final R request;

	private final CallBudget budget;

	private final long since;

	private long paidUntil;

	/** The request that has waited before this one, set by {@link #follow}. */
	private @Nullable BatchEntry<R, A> previous;

	private int position = 1;

	private long oldestSince;

	BatchEntry(R request, CallBudget budget, long now) {
		this.request = request;
		this.budget = budget;
		this.since = now;
		this.paidUntil = now;
		this.oldestSince = now;
	}

	/**
	 * Places this request behind another one, or first.
	 */
	void follow(@Nullable BatchEntry<R, A> last) {
		this.previous = last;
		this.position = (last != null) ? last.position + 1 : 1;
		this.oldestSince = (last != null) ? last.oldestSince : this.since;
	}

	R request() {
		return this.request;
	}

	CallBudget budget() {
		return this.budget;
	}

	long since() {
		return this.since;
	}

	@Nullable BatchEntry<R, A> previous() {
		return this.previous;
	}

	/**
	 * Returns how many requests wait up to this one.
	 */
	int position() {
		return this.position;
	}

	long oldestSince() {
		return this.oldestSince;
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
