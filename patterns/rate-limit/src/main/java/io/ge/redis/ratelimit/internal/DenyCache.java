// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Remembers denials of Redis until it could admit again, so that a client that hammers
 * costs Redis nothing.
 * <p>
 * Only a refund, a reset or another limit makes Redis admit earlier, and every instance
 * is notified of these. A denial is therefore used only
 * <ul>
 * <li>until its wait has passed since the refused call was sent, less a thousandth in
 * case this machine's clock runs slower than the server's;</li>
 * <li>for the same limit with the same settings. It holds for the same cost, and for a
 * token bucket, whose wait grows by the same time with each permit, for any cost;</li>
 * <li>if no notification can be missing: within one second of the call, and later while a
 * message that was sent at most a second ago is known to have come back.</li>
 * </ul>
 * A reply is not entered if its key was invalidated since the call was sent, since their
 * order is unknown.
 * <p>
 * Holds at most {@value #CAPACITY} denials, in sets of {@value #WAYS}: if a set is full,
 * the denial that ends first makes room. No lock, and no work in the background.
 */
final class DenyCache {

	static final int CAPACITY = 16_384;

	static final int WAYS = 4;

	/** Time for which a denial holds unless notifications are known to arrive. */
	static final long UNCONFIRMED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final int SETS = CAPACITY / WAYS;

	/** Time for which notifications are awaited after the last denial. */
	private static final long INTEREST_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long INTEREST_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final AtomicReferenceArray<Denial> denials = new AtomicReferenceArray<>(CAPACITY);

	/** Counts the invalidations of each set. */
	private final AtomicIntegerArray invalidations = new AtomicIntegerArray(SETS);

	private final LongSupplier confirmedAt;

	private volatile long lastDenied = System.nanoTime() - INTEREST_NANOS;

	public DenyCache(LongSupplier confirmedAt) {
		this.confirmedAt = confirmedAt;
	}

	/**
	 * Returns a denial that holds now.
	 */
	@Nullable Denial find(PermitRequest request, long now) {
		int first = first(request.key().hashCode());
		for (int i = first; i < first + WAYS; i++) {
			Denial denial = this.denials.getAcquire(i);
			if (denial != null && denial.appliesTo(request, now) && isCertain(denial, now)) {
				noteInterest(now);
				return denial;
			}
		}
		return null;
	}

	private boolean isCertain(Denial denial, long now) {
		return now - denial.sentAt() < UNCONFIRMED_NANOS || now - this.confirmedAt.getAsLong() < UNCONFIRMED_NANOS;
	}

	/**
	 * Returns the number of invalidations of the key's set.
	 */
	int invalidationsOf(RedisLimitKey key) {
		return this.invalidations.get(first(key.hashCode()) / WAYS);
	}

	/**
	 * Remembers a denial.
	 */
	void add(Denial denial, int knownInvalidations) {
		int first = first(denial.key().hashCode());
		int place = placeOf(denial, first);
		this.denials.setRelease(place, denial);
		noteInterest(denial.sentAt());
		if (this.invalidations.get(first / WAYS) != knownInvalidations) {
			this.denials.compareAndSet(place, denial, null);
		}
	}

	private int placeOf(Denial denial, int first) {
		int place = first;
		long shortest = Long.MAX_VALUE;
		for (int i = first; i < first + WAYS; i++) {
			Denial present = this.denials.getAcquire(i);
			if (present == null || present.isReplacedBy(denial)) {
				return i;
			}
			long remains = present.until() - denial.sentAt();
			if (remains < shortest) {
				shortest = remains;
				place = i;
			}
		}
		return place;
	}

	void forget(String key) {
		int first = first(key.hashCode());
		this.invalidations.incrementAndGet(first / WAYS);
		for (int i = first; i < first + WAYS; i++) {
			Denial denial = this.denials.get(i);
			if (denial != null && denial.key().text().equals(key)) {
				this.denials.compareAndSet(i, denial, null);
			}
		}
	}

	public void clear() {
		for (int set = 0; set < SETS; set++) {
			this.invalidations.incrementAndGet(set);
		}
		for (int i = 0; i < CAPACITY; i++) {
			this.denials.set(i, null);
		}
	}

	/**
	 * Returns whether a call was denied lately, so that notifications are worth their
	 * cost.
	 */
	boolean isInUse() {
		return System.nanoTime() - this.lastDenied < INTEREST_NANOS;
	}

	int size() {
		int size = 0;
		for (int i = 0; i < CAPACITY; i++) {
			size += (this.denials.get(i) != null) ? 1 : 0;
		}
		return size;
	}

	private void noteInterest(long now) {
		if (now - this.lastDenied > INTEREST_STEP_NANOS) {
			this.lastDenied = now;
		}
	}

	private static int first(int hash) {
		int spread = hash * 0x9E3779B9;
		return ((spread >>> 16) & (SETS - 1)) * WAYS;
	}

}
