/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * A call that shares a script with others, or could.
 */
final class CoalescedCall {

	private final List<Demand> demands;

	private final CallBudget budget;

	private final CompletableFuture<RedisAnswer> answer = new CompletableFuture<>();

	private long waitsSince;

	/** Belongs, as the rest, to whoever has the call at present. */
	@Nullable CoalescedCall next;

	CoalescedCall(List<Demand> demands, CallBudget budget) {
		this.demands = demands;
		this.budget = budget;
	}

	List<Demand> demands() {
		return this.demands;
	}

	/**
	 * Returns the permits that the call takes of each of its limits.
	 */
	long cost() {
		return this.demands.get(0).cost();
	}

	void beginWait(long now) {
		this.waitsSince = now;
	}

	void endWait(long now) {
		this.budget.spend(now - this.waitsSince);
	}

	/**
	 * Returns the budget, of which a wait for others is a part.
	 */
	CallBudget budget() {
		return this.budget;
	}

	CompletableFuture<RedisAnswer> answer() {
		return this.answer;
	}

	void complete(@Nullable RedisAnswer answer, @Nullable Throwable failure) {
		if (answer != null) {
			this.answer.complete(answer);
		}
		else {
			this.answer.completeExceptionally((failure != null) ? failure : new IllegalStateException("No answer"));
		}
	}

}
