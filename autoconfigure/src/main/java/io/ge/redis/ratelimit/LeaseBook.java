/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

import io.ge.redis.ratelimit.RateLimitEvent.Source;
import org.jspecify.annotations.Nullable;

/**
 * The leases of this instance. Permits are charged when they are taken, as if used at the
 * end of the lease, so unused ones are missing, and never too many are used. What is left
 * at the end is given back, except after a reset, which has forgotten it.
 * <p>
 * Holds at most {@value #CAPACITY} leases: beyond, calls ask for themselves.
 */
final class LeaseBook {

	static final int CAPACITY = 1000;

	/** Other instances take leases of the same limit. */
	private static final int SHARE = 4;

	private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final RedisRateLimiter redis;

	private final IntSupplier instances;

	private final DenyCache denied;

	private final Map<List<RedisLimitKey>, Lease> leases = new ConcurrentHashMap<>();

	private volatile long sweptAt = System.nanoTime() - SWEEP_NANOS;

	LeaseBook(RedisRateLimiter redis, IntSupplier instances, DenyCache denied) {
		this.redis = redis;
		this.instances = instances;
		this.denied = denied;
	}

	/**
	 * Returns whether permits for a call may be taken in advance: all its limits say so,
	 * and are of one key.
	 */
	static boolean suits(List<Demand> demands) {
		long cost = demands.get(0).cost();
		for (int i = 0; i < demands.size(); i++) {
			Demand demand = demands.get(i);
			RateLimit limit = demand.limit();
			if (limit.lease() <= 1 || cost == 0 || demand.cost() != cost || !limit.waitTime().isZero()) {
				return false;
			}
		}
		return RedisRateLimiter.haveSameKey(demands);
	}

	/**
	 * Returns the lease for a call.
	 * @return the lease, or {@code null} if there are too many
	 */
	@Nullable Lease of(List<Demand> demands) {
		List<RedisLimitKey> keys = keys(demands);
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

	private List<RedisLimitKey> keys(List<Demand> demands) {
		if (demands.size() == 1) {
			return List.of(this.redis.keyOf(demands.get(0)));
		}
		List<RedisLimitKey> keys = new ArrayList<>(demands.size());
		for (Demand demand : demands) {
			keys.add(this.redis.keyOf(demand));
		}
		return keys;
	}

	/**
	 * Decides from memory.
	 * @return the verdict, or {@code null} if Redis must be asked
	 */
	@Nullable Verdict take(List<Demand> demands) {
		Lease lease = this.leases.get(keys(demands));
		long now = System.nanoTime();
		Lease.Taken taken = (lease != null) ? lease.take(demands, now) : null;
		if (taken == null) {
			return null;
		}
		RedisAnswer answer = taken.batch().answer();
		List<Standing> standings = new ArrayList<>(demands.size());
		for (int i = 0; i < demands.size(); i++) {
			long restored = answer.receivedAt() + answer.restoredNanos(i) - now;
			standings.add(new Standing(demands.get(i), answer.left(i) + taken.left(), Math.max(0, restored), 0));
		}
		long cost = demands.get(0).cost();
		return Verdict.allowed(standings, Source.LEASE, Receipt.of(demands, () -> putBack(taken.batch(), cost)));
	}

	private void putBack(LeaseBatch batch, long permits) {
		if (!batch.putBack(permits, System.nanoTime()) && !batch.isDropped()) {
			giveBack(batch.answer(), permits);
		}
	}

	/**
	 * Returns what to ask for.
	 */
	Lease.Asking ask(Lease lease, List<Demand> demands) {
		int parts = SHARE * Math.max(1, this.instances.getAsInt());
		long most = Long.MAX_VALUE;
		for (Demand demand : demands) {
			RateLimit limit = demand.limit();
			most = Math.min(most, Math.min(limit.lease() - 1, limit.largestCost() / parts));
		}
		return lease.ask(most, Further.longestLease(demands).toNanos(), System.nanoTime());
	}

	/**
	 * Takes note of an answer.
	 */
	void answered(Lease.Asking asking, @Nullable RedisAnswer answer, @Nullable Throwable failure) {
		LeaseBatch replaced = asking.lease().answered(asking, answer, failure);
		if (replaced != null) {
			giveBack(replaced);
		}
		if (answer != null && answer.extra() > 0) {
			CompletableFuture
				.delayedExecutor(answer.extraUsableUntil() - System.nanoTime(), TimeUnit.NANOSECONDS, Runnable::run)
				.execute(() -> end(asking.lease(), answer));
		}
	}

	private void end(Lease lease, RedisAnswer answer) {
		LeaseBatch ended = lease.stop(answer);
		if (ended != null) {
			giveBack(ended);
		}
	}

	private CompletableFuture<Void> giveBack(LeaseBatch batch) {
		return giveBack(batch.answer(), batch.leftover());
	}

	private CompletableFuture<Void> giveBack(RedisAnswer answer, long permits) {
		return this.redis.refundExtra(answer, permits).thenRun(() -> {
			for (int i = 0; i < answer.demands().size(); i++) {
				this.denied.forget(answer.key(i).text());
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
	CompletableFuture<Void> giveBackAll() {
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
