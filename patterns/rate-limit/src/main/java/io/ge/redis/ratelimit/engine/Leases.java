/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * The leases of this instance. Permits are charged when they are taken, as if used at the
 * end of the lease, so unused ones are missing, and never too many are used. What is left
 * at the end is refunded, except after a reset, which has forgotten it.
 * <p>
 * Holds at most {@value #CAPACITY} leases: beyond, calls ask for themselves.
 */
public final class Leases {

	static final int CAPACITY = 1000;

	/** So long a lease lasts at most: what an instance that dies takes with it. */
	static final Duration LONGEST = Duration.ofSeconds(1);

	/** A lease lasts no longer than this part of any window. */
	private static final int LEASES_PER_WINDOW = 10;

	/** Other instances take leases of the same limit. */
	private static final int SHARE = 4;

	private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final RedisRateLimiter redis;

	private final IntSupplier instances;

	private final DenyCache denied;

	private final Map<List<RedisLimitKey>, Lease> leases = new ConcurrentHashMap<>();

	private volatile long sweptAt = System.nanoTime() - SWEEP_NANOS;

	public Leases(RedisRateLimiter redis, IntSupplier instances, DenyCache denied) {
		this.redis = redis;
		this.instances = instances;
		this.denied = denied;
	}

	/**
	 * Returns whether permits for a call may be taken in advance: all its limits say so,
	 * and are of one key.
	 */
	static boolean suits(List<PermitRequest> requests) {
		long cost = requests.get(0).cost();
		for (int i = 0; i < requests.size(); i++) {
			PermitRequest request = requests.get(i);
			RateLimit limit = request.limit();
			if (limit.lease() <= 1 || cost == 0 || request.cost() != cost || !limit.waitTime().isZero()) {
				return false;
			}
		}
		return RedisRateLimiter.haveSameKey(requests);
	}

	static Duration longest(List<PermitRequest> requests) {
		Duration longest = LONGEST;
		for (PermitRequest request : requests) {
			Duration part = request.limit().window().dividedBy(LEASES_PER_WINDOW);
			longest = (part.compareTo(longest) < 0) ? part : longest;
		}
		return longest;
	}

	@Nullable Lease of(List<PermitRequest> requests) {
		List<RedisLimitKey> keys = keys(requests);
		Lease lease = this.leases.get(keys);
		if (lease == null && this.leases.size() >= CAPACITY) {
			sweep();
			if (this.leases.size() >= CAPACITY) {
				return null;
			}
		}
		return (lease != null) ? lease : this.leases.computeIfAbsent(keys, (same) -> new Lease());
	}

	private void sweep() {
		long now = System.nanoTime();
		if (now - this.sweptAt > SWEEP_NANOS) {
			this.sweptAt = now;
			// Not by removeIf, which would lock a lease within a monitor of the map
			this.leases.forEach((keys, lease) -> {
				if (lease.isIdle(now)) {
					this.leases.remove(keys, lease);
				}
			});
		}
	}

	private List<RedisLimitKey> keys(List<PermitRequest> requests) {
		List<RedisLimitKey> keys = List.of();
		for (PermitRequest request : requests) {
			keys = EngineDecision.plus(keys, this.redis.keyOf(request), requests.size());
		}
		return keys;
	}

	/**
	 * Decides from memory.
	 */
	@Nullable EngineDecision take(List<PermitRequest> requests) {
		Lease lease = this.leases.get(keys(requests));
		long now = System.nanoTime();
		Lease.Taken taken = (lease != null) ? lease.take(requests, now) : null;
		if (taken == null) {
			return null;
		}
		RedisDecision decision = taken.batch().decision();
		List<LimitState> states = List.of();
		for (int i = 0; i < requests.size(); i++) {
			long restored = decision.receivedAt() + decision.restoredNanos(i) - now;
			states = EngineDecision.plus(states,
					new LimitState(requests.get(i), decision.left(i) + taken.left(), Math.max(0, restored), 0),
					requests.size());
		}
		long cost = requests.get(0).cost();
		return EngineDecision.of(states, Source.LEASE, TakenPermits.of(requests, () -> {
			if (!taken.batch().putBack(cost, System.nanoTime())) {
				refund(decision, cost);
			}
		}), 0);
	}

	Lease.Asking ask(Lease lease, List<PermitRequest> requests) {
		int parts = SHARE * Math.max(1, this.instances.getAsInt());
		long most = Long.MAX_VALUE;
		for (PermitRequest request : requests) {
			RateLimit limit = request.limit();
			most = Math.min(most, Math.min(limit.lease() - 1, limit.largestCost() / parts));
		}
		return lease.ask(most, longest(requests).toNanos(), System.nanoTime());
	}

	void answered(Lease.Asking asking, @Nullable RedisDecision decision, @Nullable Throwable failure) {
		refund(asking.lease().answered(asking, decision, failure));
		if (decision != null && decision.extra() > 0) {
			CompletableFuture
				.delayedExecutor(decision.extraUsableUntil() - System.nanoTime(), TimeUnit.NANOSECONDS, Runnable::run)
				.execute(() -> refund(asking.lease().stop(decision)));
		}
	}

	private CompletableFuture<Void> refund(Lease.@Nullable Batch ended) {
		return (ended != null) ? refund(ended.decision(), ended.leftover()) : CompletableFuture.completedFuture(null);
	}

	private CompletableFuture<Void> refund(RedisDecision decision, long permits) {
		return this.redis.refundExtra(decision, permits).thenRun(() -> {
			for (int i = 0; i < decision.requests().size(); i++) {
				this.denied.forget(decision.key(i).text());
			}
		});
	}

	void drop(String key) {
		this.leases.forEach((keys, lease) -> {
			for (RedisLimitKey each : keys) {
				if (each.text().equals(key)) {
					lease.drop();
				}
			}
		});
	}

	public CompletableFuture<Void> refundAll() {
		CompletableFuture<?>[] refunds = this.leases.values()
			.stream()
			.map((lease) -> refund(lease.stop(null)))
			.toArray(CompletableFuture[]::new);
		this.leases.clear();
		return CompletableFuture.allOf(refunds);
	}

}
