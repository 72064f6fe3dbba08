/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.CallBudget;
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

	private final RateLimitOutage outage;

	private final LimitsInEffect limits;

	private final DenyCache denied;

	private final LeaseBook leases;

	private final RateLimitBatcher batcher;

	RateLimitEngine(RedisRateLimiter redis, LocalRateLimiter local, EffectiveLimits limits, DenyCache denied,
			LeaseBook leases) {
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
	 * @param asked what it wants, by the limits as defined
	 * @return completes when the call may proceed, or with its refusal; who cancels it
	 * gives back what was taken
	 * @throws RateLimitCostException if a limit never gives so many permits at once
	 */
	CompletableFuture<Verdict> decide(List<Demand> asked) {
		List<Demand> demands = this.limits.inEffect(asked);
		Verdict known = this.limits.blocked(asked, demands);
		return (known != null) ? CompletableFuture.completedFuture(known) : decide(demands, null);
	}

	private CompletableFuture<Verdict> decide(List<Demand> demands, @Nullable CallBudget budget) {
		boolean isLeased = LeaseBook.suits(demands);
		Verdict known = isLeased ? this.leases.take(demands) : null;
		if (known == null) {
			known = denied(demands);
		}
		if (known != null) {
			return CompletableFuture.completedFuture(known);
		}
		CallBudget left = (budget != null) ? budget : this.redis.newBudget();
		return isLeased ? askForLease(demands, left) : ask(demands, left);
	}

	/**
	 * Forgets what was used of limits, on all instances; while Redis is away, only what
	 * this one has counted meanwhile.
	 * @param asked one or several limits of one key, as defined
	 */
	CompletableFuture<Void> reset(List<Demand> asked) {
		List<Demand> demands = this.limits.inEffect(asked);
		demands.forEach((demand) -> this.local.forget(this.redis.keyOf(demand).text()));
		return this.redis.reset(demands).thenRun(() -> demands.forEach((demand) -> {
			forget(demand);
			this.leases.drop(this.redis.keyOf(demand).text());
		}));
	}

	private void forget(Demand demand) {
		this.denied.forget(this.redis.keyOf(demand).text());
	}

	private @Nullable Verdict denied(List<Demand> demands) {
		List<Standing> refusals = null;
		long now = System.nanoTime();
		for (int i = 0; i < demands.size(); i++) {
			Demand demand = demands.get(i);
			Denial denial = (demand.cost() == 0 || demand.limit().shadow()) ? null
					: this.denied.find(this.redis.keyOf(demand), demand, now);
			if (denial != null) {
				refusals = (refusals != null) ? refusals : new ArrayList<>(demands.size());
				refusals.add(denial.standing(demand, now));
			}
		}
		return (refusals != null) ? Verdict.denied(refusals, Source.DENY_CACHE) : null;
	}

	private CompletableFuture<Verdict> ask(List<Demand> demands, CallBudget budget) {
		Collection<List<Demand>> groups = this.redis.bySlot(demands);
		CompletableFuture<Verdict> result = new CompletableFuture<>();
		if (groups.size() == 1) {
			this.batcher.submit(demands, budget)
				.whenComplete((answer, failure) -> conclude(result, demands, one(answer), failure));
		}
		else {
			new SlotSequence(groups, (slot) -> this.batcher.submit(slot, budget), this::giveBack).answers()
				.whenComplete((answers, failure) -> conclude(result, demands, answers, failure));
		}
		return result;
	}

	/**
	 * Asks for permits in advance, or waits for another call that does.
	 */
	private CompletableFuture<Verdict> askForLease(List<Demand> demands, CallBudget budget) {
		Lease lease = this.leases.of(demands);
		if (lease == null) {
			return ask(demands, budget);
		}
		CompletableFuture<Verdict> result = new CompletableFuture<>();
		long since = System.nanoTime();
		boolean joined = lease.join(demands, since, (failure) -> {
			budget.spend(System.nanoTime() - since);
			if (failure != null) {
				conclude(result, demands, List.of(), failure);
			}
			else {
				decide(demands, budget).whenComplete((verdict, problem) -> Turn.forward(verdict, problem, result));
			}
		});
		if (!joined) {
			Lease.Asking asking = this.leases.ask(lease, demands);
			askRedis(demands, Further.lease(asking.extra(), demands), budget).whenComplete((answer, failure) -> {
				// In this order: who stops the instance after its call finds what was
				// taken
				try {
					this.leases.answered(asking, answer, failure);
				}
				finally {
					conclude(result, demands, one(answer), failure);
				}
			});
		}
		return result;
	}

	private static List<RedisAnswer> one(@Nullable RedisAnswer answer) {
		return (answer != null) ? List.of(answer) : List.of();
	}

	private CompletableFuture<RedisAnswer> askRedis(List<Demand> demands, Further further, CallBudget budget) {
		try {
			int[] news = new int[demands.size()];
			for (int i = 0; i < news.length; i++) {
				news[i] = this.denied.newsOf(this.redis.keyOf(demands.get(i)));
			}
			return this.redis.decide(demands, further, budget).thenApply((answer) -> {
				remember(answer, news);
				return answer;
			});
		}
		catch (RuntimeException ex) {
			// Others may wait for the answer
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void remember(RedisAnswer answer, int[] news) {
		for (int i = 0; i < news.length; i++) {
			if (answer.waitNanos(i) > 0 && !answer.demands().get(i).limit().shadow()) {
				this.denied.add(new Denial(answer, i), news[i]);
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

	private void conclude(CompletableFuture<Verdict> result, List<Demand> demands, @Nullable List<RedisAnswer> answers,
			@Nullable Throwable failure) {
		try {
			Turn turn = (failure != null || answers == null) ? this.outage.decide(demands, failure) : turn(answers);
			turn.settle(result);
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
	}

}
