/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Asks the engine, waits for it where the caller does, and tells of its decision on a
 * thread of the application: that of the caller, or one with what was bound to that.
 */
final class DefaultRateLimiter implements RateLimiter {

	private final RateLimits limits;

	private final RateLimitEngine engine;

	private final KeyStatistics statistics;

	private final GuardEvents events;

	private final GuardedCalls calls;

	DefaultRateLimiter(RateLimits limits, RateLimitEngine engine, KeyStatistics statistics, GuardEvents events,
			GuardedCalls calls) {
		this.limits = limits;
		this.engine = engine;
		this.statistics = statistics;
		this.events = events;
		this.calls = calls;
	}

	@Override
	public RateLimitDecision tryAcquire(String name, Object key, long cost) {
		forbidWaiting("tryAcquire");
		return decide(demands(name, key, cost));
	}

	@Override
	public RateLimitDecision tryAcquire(RateLimitRequest request) {
		forbidWaiting("tryAcquire");
		return decide(demands(request));
	}

	@Override
	public CompletionStage<RateLimitDecision> tryAcquireAsync(RateLimitRequest request) {
		return decideAsync(demands(request));
	}

	private List<Demand> demands(RateLimitRequest request) {
		List<Demand> demands = new ArrayList<>(request.entries().size());
		for (RateLimitRequest.Entry entry : request.entries()) {
			for (Demand demand : demands(entry.name(), entry.key(), request.cost())) {
				add(demands, demand);
			}
		}
		return demands;
	}

	@Override
	public RateLimitDecision tryAcquire(List<RateLimit> limits, Object key) {
		forbidWaiting("tryAcquire");
		return decide(demands(limits, key));
	}

	@Override
	public CompletionStage<RateLimitDecision> tryAcquireAsync(List<RateLimit> limits, Object key) {
		return decideAsync(demands(limits, key));
	}

	private List<Demand> demands(List<RateLimit> limits, Object key) {
		if (limits.isEmpty()) {
			throw new IllegalArgumentException("A decision needs at least one limit");
		}
		List<String> parts = KeyText.of(key, new KeyOf(limits.get(0).name()));
		List<Demand> demands = new ArrayList<>(limits.size());
		for (RateLimit limit : limits) {
			add(demands, new Demand(this.limits.admit(limit), parts, 1));
		}
		return demands;
	}

	@Override
	public CompletionStage<@Nullable Void> acquireAsync(String name, Object key) {
		List<Demand> demands = demands(name, key, 1);
		return this.calls.handOver(ask(demands), (verdict) -> {
			if (tell(demands, verdict) instanceof RateLimitDecision.Denied denied) {
				throw new RateLimitExceededException(denied);
			}
			return null;
		}, Verdict::giveBack);
	}

	@Override
	public void refund(RateLimitDecision.Allowed allowed) {
		if (!(allowed.receipt() instanceof Receipt receipt)) {
			throw new IllegalArgumentException("Only a decision of this rate limiter can be given back");
		}
		receipt.giveBack();
	}

	@Override
	public void reset(String name, Object key) {
		forbidWaiting("reset");
		Waiting.await(this.engine.reset(demands(name, key, 0)));
	}

	@Override
	public CompletionStage<@Nullable Void> resetAsync(String name, Object key) {
		return this.calls.handOver(this.engine.reset(demands(name, key, 0)), (nothing) -> null, (nothing) -> {
		});
	}

	private List<Demand> demands(String name, Object key, long cost) {
		List<RateLimit> limits = this.limits.get(name);
		List<String> parts = KeyText.of(key, new KeyOf(name));
		if (limits.size() == 1) {
			return List.of(new Demand(limits.get(0), parts, cost));
		}
		List<Demand> demands = new ArrayList<>(limits.size());
		for (RateLimit limit : limits) {
			demands.add(new Demand(limit, parts, cost));
		}
		return demands;
	}

	// Twice the same state in one decision would be asked once and charged twice
	private static void forbidWaiting(String method) {
		EventLoops.forbidWaiting("RateLimiter." + method, method + "Async");
	}

	private static void add(List<Demand> demands, Demand demand) {
		for (Demand other : demands) {
			if (other.limit().name().equals(demand.limit().name()) && other.key().equals(demand.key())) {
				throw new IllegalArgumentException(
						"The rate limit '" + demand.limit().name() + "' is named twice for the same key");
			}
		}
		demands.add(demand);
	}

	RateLimitDecision decide(List<Demand> demands) {
		CompletableFuture<Verdict> decided = this.engine.decide(demands);
		return tell(demands,
				mayWait(demands) ? Waiting.awaitInterruptibly(decided, interruption(demands)) : Waiting.await(decided));
	}

	CompletionStage<RateLimitDecision> decideAsync(List<Demand> demands) {
		return this.calls.handOver(ask(demands), (verdict) -> tell(demands, verdict), Verdict::giveBack);
	}

	/**
	 * Asks without waiting.
	 * @return may be cancelled, which gives back what was taken
	 */
	CompletableFuture<Verdict> ask(List<Demand> demands) {
		return this.engine.decide(demands);
	}

	/**
	 * Publishes a verdict on the thread of the caller.
	 * @throws RedisUnavailableException if there is no decision
	 */
	RateLimitDecision tell(List<Demand> demands, Verdict verdict) {
		if (verdict.decision() != null) {
			this.statistics.record(demands, verdict.decision());
		}
		List<RateLimitEvent> told = verdict.events();
		for (int i = 0; i < told.size(); i++) {
			this.events.publish(told.get(i));
		}
		return verdict.orRefuse();
	}

	static Function<InterruptedException, RateLimitInterruptedException> interruption(List<Demand> demands) {
		return (interrupt) -> new RateLimitInterruptedException(demands.get(0).limit().name(), interrupt);
	}

	static boolean mayWait(List<Demand> demands) {
		for (int i = 0; i < demands.size(); i++) {
			if (!demands.get(i).limit().waitTime().isZero()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Describes a key in messages; made only if there is one.
	 */
	private record KeyOf(String name) {

		@Override
		public String toString() {
			return "The key of rate limit '" + this.name + "'";
		}

	}

}
