/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.live.LimitChangeFeed;
import io.ge.redis.ratelimit.live.LiveLimits;
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

	/** Permits were refunded: the keys. Published by {@code refund.lua}. */
	private static final String FORGET = "ratelimit.forget";

	/** Keys were reset. Published by {@code reset.lua}. */
	private static final String RESET = "ratelimit.reset";

	private static final Pattern KEY_SEPARATOR = Pattern.compile("\n");

	private final RedisRateLimiter redis;

	private final LocalRateLimiter local;

	private final LiveLimits limits;

	private final DenyCache denied;

	private final RateLimitBatcher batcher;

	public RateLimitEngine(RedisRateLimiter redis, LocalRateLimiter local, LiveLimits limits, DenyCache denied) {
		this.redis = redis;
		this.local = local;
		this.limits = limits;
		this.denied = denied;
		this.batcher = new RateLimitBatcher(redis::keyOf, redis::decide, System::nanoTime);
	}

	public void listen(InstanceBus bus) {
		bus.handle(FORGET, (keys) -> KEY_SEPARATOR.splitAsStream(keys).forEach(this.denied::forget));
		bus.handle(RESET, (keys) -> KEY_SEPARATOR.splitAsStream(keys).forEach(this::dropReset));
		this.limits.onChange(this.denied::clear);
		bus.handle(LimitChangeFeed.CHANGED, (change) -> this.denied.clear());
		bus.onLost(this.denied::clear);
		bus.onSubscribed(this.denied::clear);
		bus.confirmWhile(this.denied::isInUse);
	}

	private void dropReset(String key) {
		this.local.forget(key);
		this.denied.forget(key);
	}

	/**
	 * Decides on a call.
	 * @return completes when the call may proceed, or with its refusal. Cancelling it
	 * refunds what was taken
	 */
	public CompletableFuture<EngineDecision> decide(List<PermitRequest> asked) {
		List<PermitRequest> requests = inEffect(asked);
		EngineDecision known = blocked(asked, requests);
		if (known == null) {
			known = denied(requests);
		}
		return (known != null) ? CompletableFuture.completedFuture(known) : ask(requests, this.redis.newBudget());
	}

	private List<PermitRequest> inEffect(List<PermitRequest> asked) {
		List<PermitRequest> changed = null;
		for (int i = 0; i < asked.size(); i++) {
			PermitRequest request = asked.get(i);
			RateLimit limit = this.limits.effective(request.limit(), request.key());
			if (limit != request.limit()) {
				changed = (changed != null) ? changed : new ArrayList<>(asked);
				changed.set(i, new PermitRequest(limit, request.key(), request.cost()));
			}
			checkCost(limit, request.cost());
		}
		return (changed != null) ? changed : asked;
	}

	private static void checkCost(RateLimit limit, long cost) {
		if (cost < 0) {
			throw RateLimitCostException
				.noWholeNumber("A cost of " + cost + " for rate limit '" + limit.name() + "' must not be negative");
		}
		if (cost > limit.largestCost() && !limit.shadow()) {
			throw new RateLimitCostException("A cost of " + cost + " can never pass rate limit '" + limit.name()
					+ "', which gives " + limit.largestCost() + " permits at once at most");
		}
	}

	private @Nullable EngineDecision blocked(List<PermitRequest> asked, List<PermitRequest> requests) {
		List<LimitState> refusals = List.of();
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			long blocked = request.limit().shadow() ? 0
					: this.limits.blockedFor(asked.get(i).limit(), request.key()).toNanos();
			if (blocked > 0) {
				refusals = EngineDecision.plus(refusals, new LimitState(request, 0, blocked, blocked), requests.size());
			}
		}
		return refusals.isEmpty() ? null : EngineDecision.denied(refusals, Source.DENY_CACHE);
	}

	/**
	 * Forgets what was used of limits, on all instances; while Redis is unavailable, only
	 * what this one has counted meanwhile.
	 */
	public CompletableFuture<Void> reset(List<PermitRequest> asked) {
		List<PermitRequest> requests = inEffect(asked);
		requests.forEach((request) -> this.local.forget(this.redis.keyOf(request).text()));
		return this.redis.reset(requests)
			.thenRun(() -> requests.forEach((request) -> dropReset(this.redis.keyOf(request).text())));
	}

	/**
	 * Refunds permits of one limit that a key has taken last, on behalf of an operator.
	 */
	public CompletableFuture<Long> refund(PermitRequest asked) {
		RateLimit limit = this.limits.effective(asked.limit(), asked.key());
		PermitRequest request = new PermitRequest(limit, asked.key(), Math.min(asked.cost(), limit.largestCost()));
		return this.redis.refund(request).thenApply((refunded) -> {
			forget(request);
			return refunded;
		});
	}

	/**
	 * Looks at one limit without taking anything: one script call.
	 */
	public CompletableFuture<RedisDecision> look(PermitRequest asked) {
		return this.redis.decide(inEffect(List.of(asked)), 0, this.redis.newBudget());
	}

	private void forget(PermitRequest request) {
		this.denied.forget(this.redis.keyOf(request).text());
	}

	private @Nullable EngineDecision denied(List<PermitRequest> requests) {
		List<LimitState> refusals = List.of();
		long now = System.nanoTime();
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			Denial denial = (request.cost() == 0 || request.limit().shadow()) ? null
					: this.denied.find(this.redis.keyOf(request), request, now);
			if (denial != null) {
				refusals = EngineDecision.plus(refusals, denial.state(request, now), requests.size());
			}
		}
		return refusals.isEmpty() ? null : EngineDecision.denied(refusals, Source.DENY_CACHE);
	}

	private CompletableFuture<EngineDecision> ask(List<PermitRequest> requests, CallBudget budget) {
		Collection<List<PermitRequest>> groups = this.redis.bySlot(requests);
		CompletableFuture<EngineDecision> result = new CompletableFuture<>();
		if (groups.size() == 1) {
			submit(requests, budget)
				.whenComplete((decision, failure) -> conclude(result, requests, one(decision), failure));
		}
		else {
			askInTurn(new ArrayDeque<>(groups), new ArrayList<>(), budget)
				.whenComplete((decisions, failure) -> conclude(result, requests, decisions, failure));
		}
		return result;
	}

	/**
	 * Asks one slot after the other, until one denies: then what the earlier ones took is
	 * refunded.
	 */
	private CompletableFuture<List<RedisDecision>> askInTurn(Deque<List<PermitRequest>> open,
			List<RedisDecision> decisions, CallBudget budget) {
		return submit(open.removeFirst(), budget).whenComplete((decision, failure) -> {
			if (failure != null || !decision.isAllowed()) {
				decisions.forEach(this::refund);
			}
		}).thenCompose((decision) -> {
			decisions.add(decision);
			return (decision.isAllowed() && !open.isEmpty()) ? askInTurn(open, decisions, budget)
					: CompletableFuture.completedFuture(decisions);
		});
	}

	private static List<RedisDecision> one(@Nullable RedisDecision decision) {
		return (decision != null) ? List.of(decision) : List.of();
	}

	private CompletableFuture<RedisDecision> submit(List<PermitRequest> requests, CallBudget budget) {
		int[] invalidations = new int[requests.size()];
		for (int i = 0; i < invalidations.length; i++) {
			invalidations[i] = this.denied.invalidationsOf(this.redis.keyOf(requests.get(i)));
		}
		return this.batcher.submit(requests, budget).thenApply((decision) -> {
			remember(decision, invalidations);
			return decision;
		});
	}

	private void remember(RedisDecision decision, int[] invalidations) {
		for (int i = 0; i < invalidations.length; i++) {
			if (decision.waitNanos(i) > 0 && !decision.requests().get(i).limit().shadow()) {
				this.denied.add(new Denial(decision, i), invalidations[i]);
			}
		}
	}

	private void refund(RedisDecision decision) {
		this.redis.refund(decision).thenRun(() -> decision.requests().forEach(this::forget));
	}

	private EngineDecision combined(List<RedisDecision> decisions) {
		RedisDecision last = decisions.get(decisions.size() - 1);
		if (!last.isAllowed()) {
			return EngineDecision.denied(last.states(), Source.REDIS);
		}
		List<PermitRequest> requests = (decisions.size() == 1) ? last.requests() : new ArrayList<>();
		List<LimitState> states = (decisions.size() == 1) ? last.states() : new ArrayList<>();
		long now = System.nanoTime();
		long wait = 0;
		for (RedisDecision decision : decisions) {
			if (decisions.size() > 1) {
				requests.addAll(decision.requests());
				states.addAll(decision.states());
			}
			wait = decision.isLater() ? Math.max(wait, decision.usableAt() - now) : wait;
		}
		TakenPermits permits = TakenPermits.of(requests, () -> decisions.forEach(this::refund));
		return EngineDecision.of(states, Source.REDIS, permits, wait);
	}

	private void conclude(CompletableFuture<EngineDecision> result, List<PermitRequest> requests,
			@Nullable List<RedisDecision> decisions, @Nullable Throwable failure) {
		try {
			EngineDecision decision = (failure != null || decisions == null) ? withoutRedis(requests, failure)
					: combined(decisions);
			decision.settle(result);
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
	}

	/**
	 * Decides on a call that Redis did not decide on, for each limit by its outage
	 * policy. A limit that is only a trial refuses nobody then either.
	 */
	private EngineDecision withoutRedis(List<PermitRequest> requests, @Nullable Throwable failure) {
		Throwable cause = (failure != null) ? Waiting.cause(failure) : null;
		if (!(cause instanceof RedisUnavailableException unavailable)) {
			throw new IllegalStateException("The decision failed", cause);
		}
		List<RateLimitEvent> events = new ArrayList<>(requests.size());
		List<PermitRequest> counted = new ArrayList<>(requests.size());
		for (PermitRequest request : requests) {
			RateLimit limit = request.limit();
			if (limit.onOutage() == OutagePolicy.LOCAL) {
				counted.add(request);
			}
			else if (limit.onOutage() == OutagePolicy.DENY && !limit.shadow()) {
				return EngineDecision.refusal(unavailable,
						new RateLimitEvent(limit.name(), Outcome.ERROR_DENIED, Source.LOCAL, null));
			}
			else {
				events.add(new RateLimitEvent(limit.name(), Outcome.ERROR_ALLOWED, Source.LOCAL, null));
			}
		}
		return counted.isEmpty() ? EngineDecision.unlimited(events) : this.local.decide(counted).with(events);
	}

}
