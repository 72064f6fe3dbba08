/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.engine;

import java.util.ArrayList;
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
 * at the end is given back, except after a reset, which has forgotten it.
 * <p>
 * Holds at most {@value #CAPACITY} leases: beyond, calls ask for themselves.
 */
public final class Leases {

	static final int CAPACITY = 1000;

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

	/**
	 * Returns the lease for a call.
	 * @return the lease, or {@code null} if there are too many
	 */
	@Nullable Lease of(List<PermitRequest> requests) {
		List<RedisLimitKey> keys = keys(requests);
		Lease lease = this.leases.get(keys);
		if (lease != null) {
			return lease;
		}
		if (this.leases.size() >= CAPACITY) {
			sweep();
			if (this.leases.size() >= CAPACITY) {
				return null;
			}
		}
		Lease made = new Lease();
		Lease other = this.leases.putIfAbsent(keys, made);
		return (other != null) ? other : made;
	}

	private void sweep() {
		long now = System.nanoTime();
		if (now - this.sweptAt > SWEEP_NANOS) {
			this.sweptAt = now;
			for (Map.Entry<List<RedisLimitKey>, Lease> entry : this.leases.entrySet()) {
				if (entry.getValue().isIdle(now)) {
					this.leases.remove(entry.getKey(), entry.getValue());
				}
			}
		}
	}

	private List<RedisLimitKey> keys(List<PermitRequest> requests) {
		if (requests.size() == 1) {
			return List.of(this.redis.keyOf(requests.get(0)));
		}
		List<RedisLimitKey> keys = new ArrayList<>(requests.size());
		for (PermitRequest request : requests) {
			keys.add(this.redis.keyOf(request));
		}
		return keys;
	}

	/**
	 * Decides from memory.
	 * @return the decision, or {@code null} if Redis must be asked
	 */
	@Nullable EngineDecision take(List<PermitRequest> requests) {
		Lease lease = this.leases.get(keys(requests));
		long now = System.nanoTime();
		Lease.Taken taken = (lease != null) ? lease.take(requests, now) : null;
		if (taken == null) {
			return null;
		}
		RedisDecision decision = taken.batch().decision();
		List<LimitState> states = new ArrayList<>(requests.size());
		for (int i = 0; i < requests.size(); i++) {
			long restored = decision.receivedAt() + decision.restoredNanos(i) - now;
			states.add(new LimitState(requests.get(i), decision.left(i) + taken.left(), Math.max(0, restored), 0));
		}
		long cost = requests.get(0).cost();
		return EngineDecision.allowed(states, Source.LEASE,
				TakenPermits.of(requests, () -> putBack(taken.batch(), cost)), 0);
	}

	private void putBack(LeaseBatch batch, long permits) {
		if (!batch.putBack(permits, System.nanoTime()) && !batch.isDropped()) {
			giveBack(batch.decision(), permits);
		}
	}

	/**
	 * Returns what to ask for.
	 */
	Lease.Asking ask(Lease lease, List<PermitRequest> requests) {
		int parts = SHARE * Math.max(1, this.instances.getAsInt());
		long most = Long.MAX_VALUE;
		for (PermitRequest request : requests) {
			RateLimit limit = request.limit();
			most = Math.min(most, Math.min(limit.lease() - 1, limit.largestCost() / parts));
		}
		return lease.ask(most, ExtraPermits.longestLease(requests).toNanos(), System.nanoTime());
	}

	/**
	 * Takes note of a decision.
	 */
	void answered(Lease.Asking asking, @Nullable RedisDecision decision, @Nullable Throwable failure) {
		LeaseBatch replaced = asking.lease().answered(asking, decision, failure);
		if (replaced != null) {
			giveBack(replaced);
		}
		if (decision != null && decision.extra() > 0) {
			CompletableFuture
				.delayedExecutor(decision.extraUsableUntil() - System.nanoTime(), TimeUnit.NANOSECONDS, Runnable::run)
				.execute(() -> end(asking.lease(), decision));
		}
	}

	private void end(Lease lease, RedisDecision decision) {
		LeaseBatch ended = lease.stop(decision);
		if (ended != null) {
			giveBack(ended);
		}
	}

	private CompletableFuture<Void> giveBack(LeaseBatch batch) {
		return giveBack(batch.decision(), batch.leftover());
	}

	private CompletableFuture<Void> giveBack(RedisDecision decision, long permits) {
		return this.redis.refundExtra(decision, permits).thenRun(() -> {
			for (int i = 0; i < decision.requests().size(); i++) {
				this.denied.forget(decision.key(i).text());
			}
		});
	}

	/**
	 * Forgets the permits of a key, which was reset.
	 * @param key the text of the key
	 */
	void drop(String key) {
		this.leases.forEach((keys, lease) -> {
			for (RedisLimitKey each : keys) {
				if (each.text().equals(key)) {
					lease.drop();
				}
			}
		});
	}

	/**
	 * Gives back all permits, since this instance stops.
	 * @return completes when that is done, or cannot be
	 */
	public CompletableFuture<Void> giveBackAll() {
		List<CompletableFuture<Void>> given = new ArrayList<>();
		this.leases.values().forEach((lease) -> {
			LeaseBatch ended = lease.stop(null);
			if (ended != null) {
				given.add(giveBack(ended));
			}
		});
		this.leases.clear();
		return CompletableFuture.allOf(given.toArray(CompletableFuture[]::new));
	}

}
