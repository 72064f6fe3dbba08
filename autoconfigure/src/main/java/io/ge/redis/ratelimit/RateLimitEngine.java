/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.ratelimit.RateLimitEvent.Outcome;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * Decides on calls, asynchronously and without blocking: from memory if it can, else by
 * one script call for all demands in one slot.
 * <p>
 * Demands in different slots are asked for in turn; if a later one denies, what the
 * earlier ones took is given back. In between, others may be denied that need not be;
 * nobody is admitted too often.
 */
final class RateLimitEngine {

	private final RedisRateLimiter redis;

	private final LocalRateLimiter local;

	private final EffectiveLimits limits;

	private final DenyCache denied;

	RateLimitEngine(RedisRateLimiter redis, LocalRateLimiter local, EffectiveLimits limits, DenyCache denied) {
		this.redis = redis;
		this.local = local;
		this.limits = limits;
		this.denied = denied;
	}

	/**
	 * Decides on a call.
	 * @param asked what it wants, by the limits as defined
	 * @return completes when the call may proceed, or with its refusal; who cancels it
	 * gives back what was taken
	 * @throws RateLimitCostException if a limit never gives so many permits at once
	 */
	CompletableFuture<Verdict> decide(List<Demand> asked) {
		List<Demand> demands = inEffect(asked);
		Verdict known = refusedFromMemory(asked, demands);
		if (known != null) {
			return CompletableFuture.completedFuture(known);
		}
		return ask(demands, this.redis.newBudget());
	}

	/**
	 * Forgets what was used of limits, on all instances.
	 * @param asked one or several limits of one key, as defined
	 */
	CompletableFuture<Void> reset(List<Demand> asked) {
		List<Demand> demands = inEffect(asked);
		return this.redis.reset(demands).thenRun(() -> demands.forEach(this::forget));
	}

	private void forget(Demand demand) {
		this.denied.forget(this.redis.keyOf(demand).text());
	}

	private List<Demand> inEffect(List<Demand> asked) {
		List<Demand> changed = null;
		for (int i = 0; i < asked.size(); i++) {
			Demand demand = asked.get(i);
			RateLimit limit = this.limits.effective(demand.limit(), demand.key());
			if (limit != demand.limit()) {
				if (changed == null) {
					changed = new ArrayList<>(asked);
				}
				changed.set(i, new Demand(limit, demand.key(), demand.cost()));
			}
			checkCost(limit, demand.cost());
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

	private @Nullable Verdict refusedFromMemory(List<Demand> asked, List<Demand> demands) {
		List<Standing> refusals = null;
		long now = System.nanoTime();
		for (int i = 0; i < demands.size(); i++) {
			Demand demand = demands.get(i);
			Standing refusal = demand.limit().shadow() ? null : refusal(asked.get(i).limit(), demand, now);
			if (refusal != null) {
				if (refusals == null) {
					refusals = new ArrayList<>(demands.size());
				}
				refusals.add(refusal);
			}
		}
		return (refusals != null) ? Verdict.denied(refusals, Source.DENY_CACHE) : null;
	}

	private @Nullable Standing refusal(RateLimit base, Demand demand, long now) {
		long blocked = this.limits.blockedFor(base, demand.key()).toNanos();
		if (blocked > 0) {
			return new Standing(demand, 0, blocked, blocked);
		}
		if (demand.cost() == 0) {
			return null;
		}
		DenyCache.Denial denial = this.denied.find(this.redis.keyOf(demand), demand, now);
		return (denial != null) ? denial.standing(demand, now) : null;
	}

	private CompletableFuture<Verdict> ask(List<Demand> demands, CallBudget budget) {
		Collection<List<Demand>> groups = this.redis.bySlot(demands);
		if (groups.size() == 1) {
			return conclude(demands, askRedis(demands, 0, budget), (answer) -> turn(List.of(answer)));
		}
		return conclude(demands, new Sequence(groups, budget).next(), this::turn);
	}

	private CompletableFuture<RedisAnswer> askRedis(List<Demand> demands, long extra, CallBudget budget) {
		int[] news = new int[demands.size()];
		for (int i = 0; i < news.length; i++) {
			news[i] = this.denied.newsOf(this.redis.keyOf(demands.get(i)));
		}
		return this.redis.decide(demands, extra, budget).thenApply((answer) -> {
			if (!answer.isAllowed()) {
				remember(answer, news);
			}
			return answer;
		});
	}

	private void remember(RedisAnswer answer, int[] news) {
		for (int i = 0; i < news.length; i++) {
			if (answer.waitNanos(i) > 0 && !answer.demands().get(i).limit().shadow()) {
				this.denied.add(new DenyCache.Denial(answer, i), news[i]);
			}
		}
	}

	private void giveBack(RedisAnswer answer) {
		this.redis.refund(answer).thenRun(() -> answer.demands().forEach(this::forget));
	}

	/**
	 * Turns answers into a verdict: only the last one can deny.
	 */
	private Turn turn(List<RedisAnswer> answers) {
		RedisAnswer last = answers.get(answers.size() - 1);
		if (!last.isAllowed()) {
			return new Turn(Verdict.denied(last.standings(), Source.REDIS), 0);
		}
		List<Demand> demands = (answers.size() == 1) ? last.demands() : new ArrayList<>();
		List<Standing> standings = new ArrayList<>();
		long now = System.nanoTime();
		long wait = 0;
		for (RedisAnswer answer : answers) {
			if (answers.size() > 1) {
				demands.addAll(answer.demands());
			}
			answer.addTo(standings);
			wait = answer.isLater() ? Math.max(wait, answer.usableAt() - now) : wait;
		}
		Receipt receipt = Receipt.of(demands, () -> answers.forEach(this::giveBack));
		return new Turn(Verdict.allowed(standings, Source.REDIS, receipt), wait);
	}

	private <T> CompletableFuture<Verdict> conclude(List<Demand> demands, CompletableFuture<T> asked,
			Function<T, Turn> turn) {
		CompletableFuture<Verdict> result = new CompletableFuture<>();
		asked.whenComplete((answer, failure) -> {
			try {
				settle(result, (failure == null) ? turn.apply(answer) : withoutRedis(demands, failure));
			}
			catch (RuntimeException ex) {
				result.completeExceptionally(ex);
			}
		});
		return result;
	}

	/**
	 * Completes a call when its turn has come, or gives back its turn if the caller does
	 * not wait any more.
	 */
	private static void settle(CompletableFuture<Verdict> result, Turn turn) {
		Verdict verdict = turn.verdict();
		if (turn.waitNanos() <= 0) {
			if (!result.complete(verdict)) {
				verdict.giveBack();
			}
			return;
		}
		result.whenComplete((done, cancelled) -> {
			if (cancelled != null) {
				verdict.giveBack();
			}
		});
		CompletableFuture.delayedExecutor(turn.waitNanos(), TimeUnit.NANOSECONDS, Runnable::run)
			.execute(() -> result.complete(verdict));
	}

	private Turn withoutRedis(List<Demand> demands, Throwable failure) {
		if (!(Waiting.cause(failure) instanceof RedisUnavailableException unavailable)) {
			throw new IllegalStateException("The decision failed", Waiting.cause(failure));
		}
		List<RateLimitEvent> events = new ArrayList<>(demands.size());
		List<Demand> counted = new ArrayList<>(demands.size());
		for (Demand demand : demands) {
			RateLimit limit = demand.limit();
			if (limit.onOutage() == OutagePolicy.LOCAL) {
				counted.add(demand);
			}
			else if (limit.onOutage() == OutagePolicy.DENY && !limit.shadow()) {
				return new Turn(Verdict.refusal(unavailable,
						new RateLimitEvent(limit.name(), Outcome.ERROR_DENIED, Source.LOCAL, null)), 0);
			}
			else {
				events.add(new RateLimitEvent(limit.name(), Outcome.ERROR_ALLOWED, Source.LOCAL, null));
			}
		}
		if (counted.isEmpty()) {
			return new Turn(new Verdict(new RateLimitDecision.Allowed(List.of(), Receipt.ofNothing()), null, events),
					0);
		}
		Turn turn = this.local.decide(counted);
		return new Turn(turn.verdict().with(events), turn.waitNanos());
	}

	/**
	 * Slots asked one after the other.
	 */
	private final class Sequence {

		private final Deque<List<Demand>> open;

		private final CallBudget budget;

		private final List<RedisAnswer> answers = new ArrayList<>();

		Sequence(Collection<List<Demand>> open, CallBudget budget) {
			this.open = new ArrayDeque<>(open);
			this.budget = budget;
		}

		CompletableFuture<List<RedisAnswer>> next() {
			return askRedis(this.open.removeFirst(), 0, this.budget).whenComplete((answer, failure) -> {
				if (failure != null || !answer.isAllowed()) {
					this.answers.forEach(RateLimitEngine.this::giveBack);
				}
			}).thenCompose(this::go);
		}

		private CompletableFuture<List<RedisAnswer>> go(RedisAnswer answer) {
			this.answers.add(answer);
			return (answer.isAllowed() && !this.open.isEmpty()) ? next()
					: CompletableFuture.completedFuture(this.answers);
		}

	}

}
