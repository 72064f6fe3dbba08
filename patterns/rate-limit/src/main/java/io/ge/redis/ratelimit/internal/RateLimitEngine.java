// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitCostException;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * Decides on calls, asynchronously and without blocking: from memory if it can, else by
 * one script call for all requests in one slot. The rule itself is in {@code decide.lua};
 * without Redis, in {@link LocalRateLimiter}.
 * <p>
 * Requests in different slots of a Cluster are decided one slot after the other. If a
 * later one denies, the permits of the earlier ones are refunded. In between, calls may
 * be denied that need not be; none is admitted too often.
 */
final class RateLimitEngine {

	/** Permits were refunded: the keys. Published by {@code refund.lua}. */
	private static final String FORGET = "ratelimit.forget";

	/** Keys were reset. Published by {@code reset.lua}. */
	private static final String RESET = "ratelimit.reset";

	private static final Pattern KEY_SEPARATOR = Pattern.compile("\n");

	private final RedisRateLimiter redis;

	private final LocalRateLimiter local;

	private final LiveLimits limits;

	private final DenyCache denied;

	public RateLimitEngine(RedisRateLimiter redis, LocalRateLimiter local, LiveLimits limits, DenyCache denied) {
		this.redis = redis;
		this.local = local;
		this.limits = limits;
		this.denied = denied;
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
	 * Returns requests for permits of limits, each as it is now for this key.
	 * @param key whom they limit; empty for all callers together
	 */
	public List<PermitRequest> requests(List<RateLimit> limits, List<String> key, long cost) {
		if (limits.size() == 1) {
			return List.of(request(limits.get(0), key, cost));
		}
		List<PermitRequest> requests = new ArrayList<>(limits.size());
		for (RateLimit limit : limits) {
			requests.add(request(limit, key, cost));
		}
		return requests;
	}

	/**
	 * Returns a request for permits of a limit, as {@link #requests}.
	 */
	public PermitRequest request(RateLimit base, List<String> key, long cost) {
		RateLimit limit = this.limits.effective(base, key);
		return new PermitRequest(limit, this.redis.keyOf(limit, key), cost);
	}

	/**
	 * Decides on a call.
	 * @return completes when the call may proceed, or with its refusal. Cancelling it
	 * refunds the permits
	 * @throws RateLimitCostException if a limit never gives so many at once
	 */
	public CompletableFuture<EngineDecision> decide(List<PermitRequest> requests) {
		requests.forEach(RateLimitEngine::checkCost);
		EngineDecision known = fromMemory(requests);
		return (known != null) ? CompletableFuture.completedFuture(known) : ask(requests, this.redis.newBudget());
	}

	private static void checkCost(PermitRequest request) {
		RateLimit limit = request.limit();
		long cost = request.cost();
		if (cost < 0) {
			throw RateLimitCostException
				.noWholeNumber("A cost of " + cost + " for rate limit '" + limit.name() + "' must not be negative");
		}
		if (cost > limit.largestCost() && !limit.shadow()) {
			throw new RateLimitCostException("A cost of " + cost + " can never pass rate limit '" + limit.name()
					+ "', which gives " + limit.largestCost() + " permits at once at most");
		}
	}

	/**
	 * Refuses a call if one of its keys is blocked or was refused before.
	 */
	private @Nullable EngineDecision fromMemory(List<PermitRequest> requests) {
		EngineDecision.Limits refusals = null;
		long now = System.nanoTime();
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			RateLimit limit = request.limit();
			long blocked = limit.shadow() ? 0 : this.limits.blockedFor(limit, request.key().parts()).toNanos();
			Denial denial = (blocked > 0 || request.cost() == 0 || limit.shadow()) ? null
					: this.denied.find(request, now);
			if (refusals == null && (blocked > 0 || denial != null)) {
				refusals = new EngineDecision.Limits(Source.DENY_CACHE, false, requests.size());
			}
			if (refusals != null && denial != null) {
				refusals.add(request, denial.remaining(), denial.restoredNanos(request, now),
						denial.waitNanos(request, now));
			}
			else if (refusals != null && blocked > 0) {
				refusals.add(request, 0, blocked, blocked);
			}
		}
		return (refusals != null) ? refusals.denied() : null;
	}

	/**
	 * Forgets the used permits of limits, on all instances; while Redis is unavailable,
	 * only what this one has counted meanwhile.
	 */
	public CompletableFuture<Void> reset(List<PermitRequest> requests) {
		requests.forEach((request) -> this.local.forget(request.key().text()));
		return this.redis.reset(requests).thenRun(() -> requests.forEach((request) -> dropReset(request.key().text())));
	}

	/**
	 * Refunds permits of one limit that a key has taken last, on behalf of an operator.
	 */
	public CompletableFuture<Long> refund(RateLimit base, List<String> key, long permits) {
		PermitRequest asked = request(base, key, permits);
		PermitRequest request = new PermitRequest(asked.limit(), asked.key(),
				Math.min(permits, asked.limit().largestCost()));
		return this.redis.refund(request).thenApply((refunded) -> {
			forget(request);
			return refunded;
		});
	}

	/**
	 * Reads the state of one limit without taking permits: one script call.
	 */
	public CompletableFuture<RedisDecision> look(RateLimit base, List<String> key) {
		return this.redis.decide(List.of(request(base, key, 0)), 0, this.redis.newBudget());
	}

	private void forget(PermitRequest request) {
		this.denied.forget(request.key().text());
	}

	private CompletableFuture<EngineDecision> ask(List<PermitRequest> requests, CallBudget budget) {
		List<List<PermitRequest>> groups = this.redis.groups(requests);
		CompletableFuture<EngineDecision> result = new CompletableFuture<>();
		CompletableFuture<List<RedisDecision>> decisions = (groups.size() == 1)
				? submit(requests, budget).thenApply(List::of)
				: askInTurn(new ArrayDeque<>(groups), new ArrayList<>(), budget);
		decisions.whenComplete((all, failure) -> conclude(result, requests, all, failure));
		return result;
	}

	/**
	 * Asks one slot after the other, until one denies: then the permits of the earlier
	 * ones are refunded.
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

	private CompletableFuture<RedisDecision> submit(List<PermitRequest> requests, CallBudget budget) {
		int[] invalidations = new int[requests.size()];
		for (int i = 0; i < invalidations.length; i++) {
			invalidations[i] = this.denied.invalidationsOf(requests.get(i).key());
		}
		return this.redis.decide(requests, budget).thenApply((decision) -> {
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

	private EngineDecision combined(List<PermitRequest> requests, List<RedisDecision> decisions) {
		RedisDecision last = decisions.get(decisions.size() - 1);
		EngineDecision.Limits limits = new EngineDecision.Limits(Source.REDIS, last.isAllowed(), requests.size());
		if (!last.isAllowed()) {
			last.addTo(limits);
			return limits.denied();
		}
		long now = System.nanoTime();
		long wait = 0;
		for (RedisDecision decision : decisions) {
			decision.addTo(limits);
			wait = decision.isLater() ? Math.max(wait, decision.usableAt() - now) : wait;
		}
		return limits.allowed(new TakenPermits(requests, () -> decisions.forEach(this::refund)), wait);
	}

	private void conclude(CompletableFuture<EngineDecision> result, List<PermitRequest> requests,
			@Nullable List<RedisDecision> decisions, @Nullable Throwable failure) {
		try {
			EngineDecision decision = (failure != null || decisions == null) ? withoutRedis(requests, failure)
					: combined(requests, decisions);
			decision.settle(result);
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
	}

	/**
	 * Decides on a call that Redis did not decide on, for each limit by its outage
	 * policy. A limit that is only a trial refuses no call then either.
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
