/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * Decides on calls, asynchronously and without blocking: from memory if it can, else by
 * one script call for all requests in one slot.
 * <p>
 * Requests in different slots are decided one slot after the other. If a later one
 * denies, what the earlier ones took is refunded. In between, others may be denied that
 * need not be; nobody is admitted too often.
 */
public final class RateLimitEngine {

	private final RedisRateLimiter redis;

	private final LocalRateLimiter local;

	private final RateLimitOutage outage;

	private final LimitsInEffect limits;

	private final DenyCache denied;

	private final Leases leases;

	private final RateLimitBatcher batcher;

	public RateLimitEngine(RedisRateLimiter redis, LocalRateLimiter local, EffectiveLimits limits, DenyCache denied,
			Leases leases) {
		this.redis = redis;
		this.local = local;
		this.outage = new RateLimitOutage(local);
		this.limits = new LimitsInEffect(limits);
		this.denied = denied;
		this.leases = leases;
		this.batcher = new RateLimitBatcher(redis::keyOf, this::askRedis, System::nanoTime);
	}

	/**
	 * Decides on a call.
	 * @param asked its requests, by the limits as defined
	 * @return completes when the call may proceed, or with its refusal. Cancelling it
	 * refunds what was taken
	 * @throws RateLimitCostException if a limit never gives so many permits at once
	 */
	public CompletableFuture<EngineDecision> decide(List<PermitRequest> asked) {
		List<PermitRequest> requests = this.limits.inEffect(asked);
		EngineDecision known = this.limits.blocked(asked, requests);
		return (known != null) ? CompletableFuture.completedFuture(known) : decide(requests, null);
	}

	private CompletableFuture<EngineDecision> decide(List<PermitRequest> requests, @Nullable CallBudget budget) {
		boolean isLeased = Leases.suits(requests);
		EngineDecision known = isLeased ? this.leases.take(requests) : null;
		if (known == null) {
			known = denied(requests);
		}
		if (known != null) {
			return CompletableFuture.completedFuture(known);
		}
		CallBudget left = (budget != null) ? budget : this.redis.newBudget();
		return isLeased ? askForLease(requests, left) : ask(requests, left);
	}

	/**
	 * Forgets what was used of limits, on all instances; while Redis is unavailable, only
	 * what this one has counted meanwhile.
	 * @param asked one or several limits of one key, as defined
	 */
	public CompletableFuture<Void> reset(List<PermitRequest> asked) {
		List<PermitRequest> requests = this.limits.inEffect(asked);
		requests.forEach((request) -> this.local.forget(this.redis.keyOf(request).text()));
		return this.redis.reset(requests).thenRun(() -> requests.forEach((request) -> {
			forget(request);
			this.leases.drop(this.redis.keyOf(request).text());
		}));
	}

	private void forget(PermitRequest request) {
		this.denied.forget(this.redis.keyOf(request).text());
	}

	private @Nullable EngineDecision denied(List<PermitRequest> requests) {
		List<LimitState> refusals = null;
		long now = System.nanoTime();
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			Denial denial = (request.cost() == 0 || request.limit().shadow()) ? null
					: this.denied.find(this.redis.keyOf(request), request, now);
			if (denial != null) {
				refusals = (refusals != null) ? refusals : new ArrayList<>(requests.size());
				refusals.add(denial.state(request, now));
			}
		}
		return (refusals != null) ? EngineDecision.denied(refusals, Source.DENY_CACHE) : null;
	}

	private CompletableFuture<EngineDecision> ask(List<PermitRequest> requests, CallBudget budget) {
		Collection<List<PermitRequest>> groups = this.redis.bySlot(requests);
		CompletableFuture<EngineDecision> result = new CompletableFuture<>();
		if (groups.size() == 1) {
			this.batcher.submit(requests, budget)
				.whenComplete((decision, failure) -> conclude(result, requests, one(decision), failure));
		}
		else {
			new SlotSequence(groups, (slot) -> this.batcher.submit(slot, budget), this::giveBack).decisions()
				.whenComplete((decisions, failure) -> conclude(result, requests, decisions, failure));
		}
		return result;
	}

	/**
	 * Asks for permits in advance, or waits for another call that does.
	 */
	private CompletableFuture<EngineDecision> askForLease(List<PermitRequest> requests, CallBudget budget) {
		Lease lease = this.leases.of(requests);
		if (lease == null) {
			return ask(requests, budget);
		}
		CompletableFuture<EngineDecision> result = new CompletableFuture<>();
		long since = System.nanoTime();
		boolean joined = lease.join(requests, since, (failure) -> {
			budget.spend(System.nanoTime() - since);
			if (failure != null) {
				conclude(result, requests, List.of(), failure);
			}
			else {
				decide(requests, budget)
					.whenComplete((decision, problem) -> EngineDecision.forward(decision, problem, result));
			}
		});
		if (!joined) {
			Lease.Asking asking = this.leases.ask(lease, requests);
			askRedis(requests, ExtraPermits.lease(asking.extra(), requests), budget)
				.whenComplete((decision, failure) -> {
					// In this order: who stops the instance after its call finds what was
					// taken
					try {
						this.leases.answered(asking, decision, failure);
					}
					finally {
						conclude(result, requests, one(decision), failure);
					}
				});
		}
		return result;
	}

	private static List<RedisDecision> one(@Nullable RedisDecision decision) {
		return (decision != null) ? List.of(decision) : List.of();
	}

	private CompletableFuture<RedisDecision> askRedis(List<PermitRequest> requests, ExtraPermits extra,
			CallBudget budget) {
		try {
			int[] news = new int[requests.size()];
			for (int i = 0; i < news.length; i++) {
				news[i] = this.denied.newsOf(this.redis.keyOf(requests.get(i)));
			}
			return this.redis.decide(requests, extra, budget).thenApply((decision) -> {
				remember(decision, news);
				return decision;
			});
		}
		catch (RuntimeException ex) {
			// Others may wait for the decision
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void remember(RedisDecision decision, int[] news) {
		for (int i = 0; i < news.length; i++) {
			if (decision.waitNanos(i) > 0 && !decision.requests().get(i).limit().shadow()) {
				this.denied.add(new Denial(decision, i), news[i]);
			}
		}
	}

	private void giveBack(RedisDecision decision) {
		this.redis.refund(decision).thenRun(() -> decision.requests().forEach(this::forget));
	}

	/**
	 * Combines the decisions of all slots: only the last one can deny.
	 */
	private EngineDecision combined(List<RedisDecision> decisions) {
		RedisDecision last = decisions.get(decisions.size() - 1);
		if (!last.isAllowed()) {
			return EngineDecision.denied(last.states(), Source.REDIS);
		}
		List<PermitRequest> requests = (decisions.size() == 1) ? last.requests() : new ArrayList<>();
		List<LimitState> states = new ArrayList<>();
		long now = System.nanoTime();
		long wait = 0;
		for (RedisDecision decision : decisions) {
			if (decisions.size() > 1) {
				requests.addAll(decision.requests());
			}
			decision.addTo(states);
			wait = decision.isLater() ? Math.max(wait, decision.usableAt() - now) : wait;
		}
		TakenPermits permits = TakenPermits.of(requests, () -> decisions.forEach(this::giveBack));
		return EngineDecision.allowed(states, Source.REDIS, permits, wait);
	}

	private void conclude(CompletableFuture<EngineDecision> result, List<PermitRequest> requests,
			@Nullable List<RedisDecision> decisions, @Nullable Throwable failure) {
		try {
			EngineDecision decision = (failure != null || decisions == null) ? this.outage.decide(requests, failure)
					: combined(decisions);
			decision.settle(result);
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
	}

}
