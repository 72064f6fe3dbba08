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

	private final long since;

	private final CompletableFuture<RedisAnswer> answer = new CompletableFuture<>();

	/** These belong to whoever has the call at present. */
	@Nullable CoalescedCall next;

	long oldestSince;

	boolean hasPlace;

	private long paidUntil;

	/**
	 * Creates a call.
	 * @param demands what it wants, at the same cost of each
	 * @param budget how long it may take
	 * @param now the time
	 */
	CoalescedCall(List<Demand> demands, CallBudget budget, long now) {
		this.demands = demands;
		this.budget = budget;
		this.since = now;
		this.oldestSince = now;
		this.paidUntil = now;
	}

	List<Demand> demands() {
		return this.demands;
	}

	boolean wantsTheSameAs(CoalescedCall other) {
		return this.demands.equals(other.demands);
	}

	/**
	 * Returns the permits that the call takes of each of its limits.
	 */
	long cost() {
		return this.demands.get(0).cost();
	}

	long since() {
		return this.since;
	}

	CallBudget budget() {
		return this.budget;
	}

	/**
	 * Has the budget pay for what the call has waited since it paid last.
	 */
	void pay(long now) {
		this.budget.spend(now - this.paidUntil);
		this.paidUntil = now;
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
