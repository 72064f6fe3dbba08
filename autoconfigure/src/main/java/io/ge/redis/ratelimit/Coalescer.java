/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Lets one script decide on calls that want the same of the same limits at the same time,
 * one after the other in the order in which they came. Each gets the answer that it would
 * have got alone.
 * <p>
 * With many callers of one key the cost of a script is thus shared by all that came
 * during the one before, instead of adding up in Redis and on the way there. A call waits
 * for others for at most 20 ms, which are part of its budget.
 */
final class Coalescer {

	/** A script that takes more permits of a limit might keep others waiting. */
	static final int MOST_PERMITS = 500;

	private final Function<Demand, RedisLimitKey> keys;

	private final Script script;

	private final LongSupplier nanoTime;

	private final Executor later;

	Coalescer(Function<Demand, RedisLimitKey> keys, Script script) {
		this(keys, script, System::nanoTime,
				CompletableFuture.delayedExecutor(CoalescedCalls.OVERDUE_NANOS, TimeUnit.NANOSECONDS, Runnable::run));
	}

	/**
	 * Creates a coalescer.
	 * @param keys where the calls of a key are
	 * @param script decides
	 * @param nanoTime the time
	 * @param later runs what looks after calls that wait, a while later
	 */
	Coalescer(Function<Demand, RedisLimitKey> keys, Script script, LongSupplier nanoTime, Executor later) {
		this.keys = keys;
		this.script = script;
		this.nanoTime = nanoTime;
		this.later = later;
	}

	/**
	 * Asks Redis to decide on a call.
	 * @param demands what it wants, in one slot
	 * @param budget how long it may take
	 */
	CompletableFuture<RedisAnswer> ask(List<Demand> demands, CallBudget budget) {
		if (!suits(demands) || budget.spentNanos() > CoalescedCalls.LONG_NANOS) {
			return this.script.run(demands, Further.NONE, budget);
		}
		CoalescedCall call = new CoalescedCall(demands, budget, this.nanoTime.getAsLong());
		CoalescedCalls calls = this.keys.apply(demands.get(0)).calls();
		CoalescedCall first = calls.enter(call);
		send(calls, first);
		if (first == null && calls.watch()) {
			lookLater(calls);
		}
		return call.answer();
	}

	/**
	 * Returns whether the answers to several calls follow from one: each takes its
	 * permits at once or not at all.
	 */
	private static boolean suits(List<Demand> demands) {
		long cost = demands.get(0).cost();
		for (int i = 0; i < demands.size(); i++) {
			Demand demand = demands.get(i);
			RateLimit limit = demand.limit();
			if (cost == 0 || demand.cost() != cost || limit.shadow() || !limit.waitTime().isZero()) {
				return false;
			}
		}
		return true;
	}

	private void lookLater(CoalescedCalls calls) {
		this.later.execute(() -> {
			try {
				send(calls, calls.overdue(this.nanoTime.getAsLong()));
			}
			finally {
				if (calls.watchOn()) {
					lookLater(calls);
				}
			}
		});
	}

	private void send(CoalescedCalls calls, @Nullable CoalescedCall waiting) {
		CoalescedCall first = waiting;
		while (first != null) {
			long most = MOST_PERMITS / first.cost();
			CoalescedCall last = first;
			int size = 1;
			while (last.next != null && size < most) {
				last = last.next;
				size++;
			}
			CoalescedCall rest = last.next;
			last.next = null;
			send(calls, first, size);
			first = rest;
		}
	}

	private void send(CoalescedCalls calls, CoalescedCall first, int size) {
		long sentAt = this.nanoTime.getAsLong();
		run(first, size, sentAt).whenComplete((answer, failure) -> {
			long now = this.nanoTime.getAsLong();
			try {
				send(calls, calls.ended(first, (failure != null) ? -1 : now - sentAt, now));
			}
			finally {
				if (size > 1) {
					pay(first, now);
				}
				share(first, answer, failure);
			}
		});
	}

	private CompletableFuture<RedisAnswer> run(CoalescedCall first, int size, long now) {
		try {
			if (size > 1) {
				CallBudget budget = pay(first, now);
				return this.script.run(first.demands(), Further.calls((size - 1) * first.cost()), budget);
			}
			first.pay(now);
			return this.script.run(first.demands(), Further.NONE, first.budget());
		}
		catch (Throwable ex) {
			// Others wait for the answer, and for the place
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Has calls pay for what they have waited.
	 * @return what the one with the smallest budget has left, so that none waits for
	 * longer than it would alone
	 */
	private static CallBudget pay(CoalescedCall first, long now) {
		long least = Long.MAX_VALUE;
		for (CoalescedCall call = first; call != null; call = call.next) {
			call.pay(now);
			least = Math.min(least, call.budget().remainingNanos());
		}
		return CallBudget.of(Duration.ofNanos(least));
	}

	private void share(CoalescedCall first, @Nullable RedisAnswer answer, @Nullable Throwable failure) {
		int position = 0;
		CoalescedCall call = first;
		while (call != null) {
			CoalescedCall next = call.next;
			RedisAnswer part = (answer != null) ? answer.ofCall(position++) : null;
			if (part == null && failure == null) {
				call.next = null;
				run(call, 1, this.nanoTime.getAsLong()).whenComplete(call::complete);
			}
			else {
				call.complete(part, failure);
			}
			call = next;
		}
	}

	/**
	 * Runs the script that decides.
	 */
	interface Script {

		/**
		 * Runs it once.
		 * @param demands what the first call wants
		 * @param others what is wanted for others
		 * @param budget how long it may take
		 */
		CompletableFuture<RedisAnswer> run(List<Demand> demands, Further others, CallBudget budget);

	}

}
