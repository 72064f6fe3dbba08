/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.ge.redis.cache.OnLoadTimeout;
import io.ge.redis.cache.engine.CacheLookup.Load;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.core.outage.CallBudget;
import org.jspecify.annotations.Nullable;

/**
 * One reader's way to the value of one entry: it joins the flight that is under way, or
 * asks Redis, and then takes what is there, loads, or waits and asks again. As
 * {@link CacheBatch}, which is the way to several.
 */
final class CacheReading {

	private final CacheFlights flights;

	private final CacheQuestion question;

	private final CacheKey key;

	private final CacheSettings settings;

	private final CallBudget budget;

	private final long deadline;

	CacheReading(CacheFlights flights, CacheQuestion question, CallBudget budget) {
		this.flights = flights;
		this.question = question;
		this.key = question.key();
		this.settings = question.settings();
		this.budget = budget;
		this.deadline = question.asked() + this.settings.loadWait().toNanos();
	}

	CompletableFuture<CacheLookup> look() {
		if (this.flights.isPassedBy(this.key)) {
			return CompletableFuture.completedFuture(Load.BYPASS);
		}
		Flight own = this.flights.newFlight(this.question);
		Flight other = this.flights.begin(own);
		return (other != null) ? join(other) : ask(own);
	}

	private CompletableFuture<CacheLookup> join(Flight other) {
		long left = Math.max(0, this.deadline - System.nanoTime());
		return other.landed.thenApply((landing) -> landing)
			.completeOnTimeout(Landing.LATE, left, TimeUnit.NANOSECONDS)
			.thenCompose((landing) -> (landing.kind() != Landing.Kind.LATE) ? take(other, landing)
					: other.answered(this.budget)
						.thenCompose((none) -> take(other, other.landed.getNow(Landing.LATE))));
	}

	private CompletableFuture<CacheLookup> take(Flight other, Landing landing) {
		return switch (landing.kind()) {
			case VALUE -> CompletableFuture
				.completedFuture(new CacheLookup.Found(landing.value(), landing.leftMillis(), null, false));
			case EXPIRED -> CompletableFuture.completedFuture(new CacheLookup.Expired(landing.value()));
			case BYPASS -> CompletableFuture.completedFuture(new Load(null, true, false, other.expired));
			case LATE -> lateFor(other);
			case AGAIN -> look();
		};
	}

	// What the other has found to have expired another instance may have replaced since:
	// whoever would return it asks once more
	private CompletableFuture<CacheLookup> lateFor(Flight other) {
		if (this.settings.onLoadTimeout() != OnLoadTimeout.STALE) {
			return late(other.expired);
		}
		return ask(this.flights.newFlight(this.question));
	}

	private CompletableFuture<CacheLookup> late(byte @Nullable [] expired) {
		CacheLookup instead = switch (this.settings.onLoadTimeout()) {
			case LOAD -> new Load(null, false, false, expired);
			case STALE -> (expired != null) ? new CacheLookup.Expired(expired) : Load.UNSTORED;
			case FAIL -> new CacheLookup.Late();
		};
		return CompletableFuture.completedFuture(instead);
	}

	private CompletableFuture<CacheLookup> ask(Flight own) {
		CompletableFuture<Void> woken = own.arm();
		return this.flights.lookup(own, this.question, urge(), this.budget)
			.handle((answer, failure) -> (failure != null) ? new CacheAnswer.Bypass(null) : answer)
			.thenCompose((answer) -> go(own, answer, woken));
	}

	/**
	 * Returns how many thousandths of its load time before its expiry a reader replaces a
	 * value.
	 */
	private long urge() {
		double beta = this.settings.refreshUrge();
		if (beta == 0 || !this.question.refreshable()) {
			return 0;
		}
		double dice = -Math.log(1 - ThreadLocalRandom.current().nextDouble());
		return Math.round(1000 * (CacheFlights.MARGIN + beta * dice));
	}

	private CompletableFuture<CacheLookup> go(Flight own, CacheAnswer answer, CompletableFuture<Void> woken) {
		if (answer instanceof CacheAnswer.Hit hit) {
			this.flights.land(own, Landing.of(hit.value(), hit.leftMillis()));
			return CompletableFuture.completedFuture(
					new CacheLookup.Found(hit.value(), hit.leftMillis(), hit.refreshing() ? own : null, true));
		}
		if (answer instanceof CacheAnswer.Leased leased) {
			own.expired = leased.expired();
			if (leased.shared() != null) {
				own.token = leased.shared();
			}
			if (this.question.open()) {
				this.flights.land(own, Landing.AGAIN);
			}
			own.answered.complete(null);
			return CompletableFuture.completedFuture(new Load(own, false, leased.replaced(), leased.expired()));
		}
		if (answer instanceof CacheAnswer.Busy busy) {
			own.expired = busy.expired();
			own.answered.complete(null);
			return await(own, busy.left(), woken);
		}
		if (answer instanceof CacheAnswer.Stale stale) {
			this.flights.land(own, Landing.expired(stale.value()));
			return CompletableFuture.completedFuture(new CacheLookup.Expired(stale.value()));
		}
		own.expired = ((CacheAnswer.Bypass) answer).expired();
		this.flights.land(own, Landing.BYPASSED);
		return CompletableFuture.completedFuture(new Load(null, true, false, own.expired));
	}

	private CompletableFuture<CacheLookup> await(Flight own, Duration lease, CompletableFuture<Void> woken) {
		long left = this.deadline - System.nanoTime();
		if (left <= 0) {
			this.flights.land(own, Landing.AGAIN);
			return late(own.expired);
		}
		long pause = Math.min(left, Math.min(lease.toNanos(), this.flights.backstop().toNanos()));
		return woken.completeOnTimeout(null, pause, TimeUnit.NANOSECONDS).thenCompose((none) -> ask(own));
	}

}
