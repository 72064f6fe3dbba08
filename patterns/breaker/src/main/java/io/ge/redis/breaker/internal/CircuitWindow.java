// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts of calls in a ring of slices. Each slice is one number: the round of the ring in
 * the highest 16 bits, then slow calls, failures and calls. So recording a call is one
 * atomic write, without a lock. A slice stops counting at 65,535 calls.
 */
final class CircuitWindow {

	private static final int SLICES = 100;

	private static final int MASK = 0xffff;

	private static final int FAILURES = 16;

	private static final int SLOW = 32;

	private static final int ROUND = 48;

	private final AtomicLongArray slices = new AtomicLongArray(SLICES);

	private final long sliceNanos;

	private final int inSecond;

	private final long origin;

	CircuitWindow(Duration window, long now) {
		this.sliceNanos = window.toNanos() / SLICES;
		this.inSecond = (int) Math.max(1, Math.min(SLICES, 1_000_000_000L / this.sliceNanos));
		// The slices of a round before the first have counted nothing
		this.origin = now - SLICES * this.sliceNanos;
	}

	void record(long now, boolean failed, boolean slow) {
		long slice = (now - this.origin) / this.sliceNanos;
		int index = (int) (slice % SLICES);
		long round = round(slice);
		long added = 1 + (failed ? 1L << FAILURES : 0) + (slow ? 1L << SLOW : 0);
		long known;
		long next;
		do {
			known = this.slices.get(index);
			long counted = (known >>> ROUND == round) ? known : round << ROUND;
			if ((counted & MASK) == MASK) {
				return;
			}
			next = counted + added;
		}
		while (!this.slices.compareAndSet(index, known, next));
	}

	private static long round(long slice) {
		return (slice / SLICES) & MASK;
	}

	Sums lastSecond(long now) {
		return sums(now, this.inSecond);
	}

	Sums all(long now) {
		return sums(now, SLICES);
	}

	private Sums sums(long now, int count) {
		long last = (now - this.origin) / this.sliceNanos;
		long calls = 0;
		long failures = 0;
		long slow = 0;
		for (long slice = last - count + 1; slice <= last; slice++) {
			long counted = this.slices.get((int) (slice % SLICES));
			if (counted >>> ROUND == round(slice)) {
				calls += counted & MASK;
				failures += (counted >>> FAILURES) & MASK;
				slow += (counted >>> SLOW) & MASK;
			}
		}
		return new Sums(calls, failures, slow);
	}

	void clear() {
		for (int i = 0; i < SLICES; i++) {
			this.slices.set(i, 0);
		}
	}

	record Sums(long calls, long failures, long slow) {
	}

}
