/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Lets one script decide on calls that want the same of the same limits at the same time,
 * one after the other in the order in which they came. Each gets the answer that it would
 * have got alone.
 * <p>
 * With many callers of one key the cost of a script is thus shared by all that came
 * during the one before, instead of adding up in Redis and on the way there.
 */
final class Coalescer {

	/** A script that takes more permits of a limit might keep others waiting. */
	static final int MOST_PERMITS = 500;

	private final Function<Demand, RedisLimitKey> keys;

	private final Script script;

	Coalescer(Function<Demand, RedisLimitKey> keys, Script script) {
		this.keys = keys;
		this.script = script;
	}

	/**
	 * Asks Redis to decide on a call.
	 * @param demands what it wants, in one slot
	 * @param budget how long it may take
	 */
	CompletableFuture<RedisAnswer> ask(List<Demand> demands, CallBudget budget) {
		if (!suits(demands)) {
			return this.script.run(demands, Further.NONE, budget);
		}
		CoalescedCall call = new CoalescedCall(demands, budget);
		CoalescedCalls calls = this.keys.apply(demands.get(0)).calls();
		send(calls, calls.enter(call));
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

	private void send(CoalescedCalls calls, @Nullable CoalescedCall waiting) {
		CoalescedCall first = waiting;
		while (first != null) {
			CoalescedCall last = first;
			long most = MOST_PERMITS / first.cost();
			int size = 1;
			while (last.next != null && size < most && last.next.demands().equals(first.demands())) {
				last = last.next;
				size++;
			}
			CoalescedCall rest = last.next;
			last.next = null;
			if (rest != null) {
				calls.beginAnother();
			}
			send(calls, first, size);
			first = rest;
		}
	}

	private void send(CoalescedCalls calls, CoalescedCall first, int size) {
		Further others = Further.calls((size - 1) * first.cost());
		long sentAt = System.nanoTime();
		this.script.run(first.demands(), others, first.budget()).whenComplete((answer, failure) -> {
			send(calls, calls.ended((failure != null) ? -1 : System.nanoTime() - sentAt));
			share(first, answer, failure);
		});
	}

	private void share(CoalescedCall first, @Nullable RedisAnswer answer, @Nullable Throwable failure) {
		int position = 0;
		for (CoalescedCall call = first; call != null; call = call.next) {
			RedisAnswer part = (answer != null) ? answer.ofCall(position++) : null;
			if (part == null && failure == null) {
				this.script.run(call.demands(), Further.NONE, call.budget()).whenComplete(call::complete);
			}
			else {
				call.complete(part, failure);
			}
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
