/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;

/**
 * Decides on calls, asynchronously and without blocking.
 * <p>
 * Demands with the same key are one script call. Those with different keys may live in
 * different slots, so each key is asked in turn; if a later one denies, what the earlier
 * ones took is given back. In between, others may be denied that need not be; nobody is
 * admitted too often.
 */
final class RateLimitEngine {

	private final RedisRateLimiter redis;

	private final LocalRateLimiter local;

	RateLimitEngine(RedisRateLimiter redis, LocalRateLimiter local) {
		this.redis = redis;
		this.local = local;
	}

	CompletionStage<Verdict> decide(List<Demand> demands) {
		CallBudget budget = this.redis.newBudget();
		CompletableFuture<RateLimitDecision> asked = (demands.size() == 1)
				? this.redis.decide(demands, budget).thenApply(RedisRateLimiter.Answer::decision)
				: new Sequence(byEntity(demands), budget).next();
		return asked.handle((decision, failure) -> {
			if (failure == null) {
				return Verdict.of(decision, Source.REDIS);
			}
			if (Waiting.cause(failure) instanceof RedisUnavailableException unavailable) {
				return decideWithoutRedis(demands, unavailable);
			}
			throw new IllegalStateException("The decision failed", Waiting.cause(failure));
		});
	}

	private Verdict decideWithoutRedis(List<Demand> demands, RedisUnavailableException unavailable) {
		List<RateLimitEvent> events = new ArrayList<>(demands.size());
		List<Demand> counted = new ArrayList<>(demands.size());
		for (Demand demand : demands) {
			switch (demand.limit().onOutage()) {
				case DENY -> {
					return Verdict.refusal(unavailable,
							new RateLimitEvent(demand.limit().name(), Outcome.ERROR_DENIED, Source.LOCAL, null));
				}
				case LOCAL -> counted.add(demand);
				default ->
					events.add(new RateLimitEvent(demand.limit().name(), Outcome.ERROR_ALLOWED, Source.LOCAL, null));
			}
		}
		return Verdict.of(this.local.decide(counted), Source.LOCAL).with(events);
	}

	// A limit for all callers is an entity of its own
	private static Deque<List<Demand>> byEntity(List<Demand> demands) {
		Map<Object, List<Demand>> entities = new LinkedHashMap<>();
		for (Demand demand : demands) {
			Object entity = demand.key().isEmpty() ? demand.limit().name() : demand.key();
			entities.computeIfAbsent(entity, (key) -> new ArrayList<>()).add(demand);
		}
		return new ArrayDeque<>(entities.values());
	}

	/**
	 * Entities asked one after the other.
	 */
	private final class Sequence {

		private final Deque<List<Demand>> open;

		private final CallBudget budget;

		private final List<RedisRateLimiter.Answer> admitted = new ArrayList<>();

		private final List<Quota> quotas = new ArrayList<>();

		Sequence(Deque<List<Demand>> open, CallBudget budget) {
			this.open = open;
			this.budget = budget;
		}

		CompletableFuture<RateLimitDecision> next() {
			if (this.open.isEmpty()) {
				return CompletableFuture
					.completedFuture(new RateLimitDecision.Allowed(this.quotas, () -> this.quotas.size()));
			}
			return RateLimitEngine.this.redis.decide(this.open.removeFirst(), this.budget)
				.whenComplete((answer, failure) -> {
					if (failure != null || !answer.decision().isAllowed()) {
						this.admitted.forEach(RateLimitEngine.this.redis::refund);
					}
				})
				.thenCompose(this::go);
		}

		private CompletableFuture<RateLimitDecision> go(RedisRateLimiter.Answer answer) {
			if (!answer.decision().isAllowed()) {
				return CompletableFuture.completedFuture(answer.decision());
			}
			this.admitted.add(answer);
			this.quotas.addAll(answer.decision().quotas());
			return next();
		}

	}

}
