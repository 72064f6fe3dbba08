// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import io.ge.redis.core.batch.Batcher;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.ratelimit.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * Lets one script decide on calls of one key that arrive together and request the same,
 * one after the other in the order of their arrival. Each gets the decision that it would
 * have got alone. A call waits for others for at most 20 ms of its budget, see
 * {@link Batcher}.
 */
final class RateLimitBatcher implements Batcher.Calls<List<PermitRequest>, RedisDecision> {

	static final int MOST_IN_FLIGHT = 4;

	static final Duration LONGEST_WAIT = Duration.ofMillis(20);

	/** A script that takes more permits of a limit might keep others waiting. */
	static final int MOST_PERMITS = 500;

	private final Script script;

	private final Batcher<List<PermitRequest>, RedisDecision> batcher;

	RateLimitBatcher(Script script, LongSupplier nanoTime) {
		this.script = script;
		this.batcher = new Batcher<>(this, MOST_IN_FLIGHT, LONGEST_WAIT, nanoTime);
	}

	CompletableFuture<RedisDecision> submit(List<PermitRequest> requests, CallBudget budget) {
		return canShare(requests) ? this.batcher.submit(requests.get(0).key().queue(), requests, budget)
				: send(requests, budget);
	}

	/**
	 * Returns whether the decisions on several calls follow from one: each takes its
	 * permits at once or not at all.
	 */
	private static boolean canShare(List<PermitRequest> requests) {
		long cost = requests.get(0).cost();
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			RateLimit limit = request.limit();
			if (cost == 0 || request.cost() != cost || limit.shadow() || !limit.waitTime().isZero()) {
				return false;
			}
		}
		return true;
	}

	@Override
	public CompletableFuture<RedisDecision> send(List<PermitRequest> requests, CallBudget budget) {
		return this.script.run(requests, 0, budget);
	}

	@Override
	public CompletableFuture<List<@Nullable RedisDecision>> sendAll(List<List<PermitRequest>> calls,
			CallBudget budget) {
		List<PermitRequest> requests = calls.get(0);
		long others = (calls.size() - 1) * requests.get(0).cost();
		return this.script.run(requests, others, budget).thenApply((decision) -> {
			List<@Nullable RedisDecision> decisions = new ArrayList<>(calls.size());
			for (int i = 0; i < calls.size(); i++) {
				decisions.add(decision.ofCall(i));
			}
			return decisions;
		});
	}

	@Override
	public boolean areAlike(List<PermitRequest> requests, List<PermitRequest> others) {
		return requests.equals(others);
	}

	@Override
	public int mostOf(List<PermitRequest> requests) {
		return (int) (MOST_PERMITS / requests.get(0).cost());
	}

	interface Script {

		/**
		 * Runs it once.
		 */
		CompletableFuture<RedisDecision> run(List<PermitRequest> requests, long others, CallBudget budget);

	}

}
