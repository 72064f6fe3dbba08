/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.ge.redis.core.batch.Batcher;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * Lets one script decide on calls of one key that arrive together and request the same,
 * one after the other in the order of their arrival. Each gets the answer that it would
 * have got alone. A call waits for others for at most 20 ms of its budget, see
 * {@link Batcher}.
 */
final class RateLimitBatcher implements Batcher.Calls<List<Demand>, RedisAnswer> {

	static final int MOST_IN_FLIGHT = 4;

	static final Duration LONGEST_WAIT = Duration.ofMillis(20);

	/** A script that takes more permits of a limit might keep others waiting. */
	static final int MOST_PERMITS = 500;

	private final Function<Demand, RedisLimitKey> keys;

	private final Script script;

	private final Batcher<List<Demand>, RedisAnswer> batcher;

	/**
	 * Creates a batcher.
	 * @param keys returns the key whose queue a call joins
	 * @param script decides
	 * @param nanoTime the time
	 */
	RateLimitBatcher(Function<Demand, RedisLimitKey> keys, Script script, LongSupplier nanoTime) {
		this.keys = keys;
		this.script = script;
		this.batcher = new Batcher<>(this, MOST_IN_FLIGHT, LONGEST_WAIT, nanoTime);
	}

	/**
	 * Lets Redis decide on a call.
	 * @param demands what it wants, in one slot
	 * @param budget how long it may take
	 */
	CompletableFuture<RedisAnswer> submit(List<Demand> demands, CallBudget budget) {
		return canShare(demands) ? this.batcher.submit(this.keys.apply(demands.get(0)).queue(), demands, budget)
				: send(demands, budget);
	}

	/**
	 * Returns whether the answers to several calls follow from one: each takes its
	 * permits at once or not at all.
	 */
	private static boolean canShare(List<Demand> demands) {
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

	@Override
	public CompletableFuture<RedisAnswer> send(List<Demand> demands, CallBudget budget) {
		return this.script.run(demands, Further.NONE, budget);
	}

	@Override
	public CompletableFuture<List<@Nullable RedisAnswer>> sendAll(List<List<Demand>> calls, CallBudget budget) {
		List<Demand> demands = calls.get(0);
		Further others = Further.calls((calls.size() - 1) * demands.get(0).cost());
		return this.script.run(demands, others, budget).thenApply((answer) -> {
			List<@Nullable RedisAnswer> answers = new ArrayList<>(calls.size());
			for (int i = 0; i < calls.size(); i++) {
				answers.add(answer.ofCall(i));
			}
			return answers;
		});
	}

	@Override
	public boolean areAlike(List<Demand> demands, List<Demand> others) {
		return demands.equals(others);
	}

	@Override
	public int mostOf(List<Demand> demands) {
		return (int) (MOST_PERMITS / demands.get(0).cost());
	}

	/**
	 * The script that decides.
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
