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

	final R request;

	final CallBudget budget;

	final long since;

	/** These are set while the request is pushed on the stack of its queue. */
	@Nullable BatchEntry<R, A> previous;

	int position = 1;

	long oldestSince;

	private long paidUntil;

	BatchEntry(R request, CallBudget budget, long now) {
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
