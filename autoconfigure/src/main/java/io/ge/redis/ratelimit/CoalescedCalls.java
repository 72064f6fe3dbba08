/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import org.jspecify.annotations.Nullable;

/**
 * How many scripts of one key are under way, and the calls that wait for one of them to
 * end, so that the next script decides on all of these.
 * <p>
 * The first {@value #MOST_UNDER_WAY} are sent as they come, so that nobody waits for
 * others unless there are many. Nobody waits either while scripts take so long that a
 * second of its kind would be felt, nor beside calls that want something else; and
 * whoever waits is sent after a short time even if no script has ended. No lock: who
 * waits adds itself to a stack, all of which want the same, and who ends a script takes
 * the whole stack.
 */
final class CoalescedCalls {

	static final int MOST_UNDER_WAY = 4;

	/** Scripts that take longer are not waited for. */
	static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	/** So long nobody has to have waited to be sent at the next look. */
	static final long OVERDUE_NANOS = LONG_NANOS / 2;

	private static final AtomicIntegerFieldUpdater<CoalescedCalls> UNDER_WAY = AtomicIntegerFieldUpdater
		.newUpdater(CoalescedCalls.class, "underWay");

	private static final AtomicReferenceFieldUpdater<CoalescedCalls, @Nullable CoalescedCall> LAST = AtomicReferenceFieldUpdater
		.newUpdater(CoalescedCalls.class, CoalescedCall.class, "last");

	private static final AtomicIntegerFieldUpdater<CoalescedCalls> WATCHED = AtomicIntegerFieldUpdater
		.newUpdater(CoalescedCalls.class, "watched");

	private volatile int underWay;

	private volatile @Nullable CoalescedCall last;

	private volatile int watched;

	private volatile boolean slow;

	private volatile long lastBegan;

	/**
	 * Enters a call.
	 * @return the calls to be sent now, from the oldest on: this one, if need be with
	 * others; or {@code null} if it waits until a script ends
	 */
	@Nullable CoalescedCall enter(CoalescedCall call) {
		if (this.last == null && begin(call.since())) {
			call.hasPlace = true;
			return call;
		}
		CoalescedCall before;
		do {
			before = this.last;
			if (before != null) {
				if (!before.wantsTheSameAs(call)) {
					return call;
				}
				call.oldestSince = before.oldestSince;
			}
			call.next = before;
		}
		while (!LAST.compareAndSet(this, before, call));
		// The scripts under way may have ended in the meantime
		return takeWaiting(call.since());
	}

	/**
	 * Takes note that a script has ended.
	 * @param first the first of the calls that it decided on
	 * @param tookNanos how long it took, or a negative number if it failed
	 * @param now the time
	 * @return the calls to be sent now, from the oldest on, or {@code null} if there are
	 * none
	 */
	@Nullable CoalescedCall ended(CoalescedCall first, long tookNanos, long now) {
		this.slow = tookNanos < 0 || tookNanos > LONG_NANOS;
		if (first.hasPlace) {
			UNDER_WAY.decrementAndGet(this);
		}
		return takeWaiting(now);
	}

	/**
	 * Takes calls that have waited for long.
	 * @return the calls to be sent now, from the oldest on, or {@code null} if there are
	 * none
	 */
	@Nullable CoalescedCall overdue(long now) {
		CoalescedCall newest = this.last;
		if (newest == null || now - newest.oldestSince < OVERDUE_NANOS) {
			return null;
		}
		this.slow = true;
		return takeWaiting(now);
	}

	/**
	 * Begins to watch, if somebody waits and nobody watches.
	 * @return whether the caller is to look for what is overdue in a while
	 */
	boolean watch() {
		return this.last != null && WATCHED.compareAndSet(this, 0, 1);
	}

	/**
	 * Ends to watch unless somebody waits.
	 * @return whether the caller is to look again
	 */
	boolean watchOn() {
		if (this.last != null) {
			return true;
		}
		this.watched = 0;
		return watch();
	}

	private boolean begin(long now) {
		int present;
		do {
			present = this.underWay;
			if (present >= MOST_UNDER_WAY && !this.slow && now - this.lastBegan <= LONG_NANOS) {
				return false;
			}
		}
		while (!UNDER_WAY.compareAndSet(this, present, present + 1));
		this.lastBegan = now;
		return true;
	}

	private @Nullable CoalescedCall takeWaiting(long now) {
		while (this.last != null && begin(now)) {
			CoalescedCall taken = LAST.getAndSet(this, null);
			if (taken != null) {
				CoalescedCall first = reversed(taken);
				first.hasPlace = true;
				return first;
			}
			// Another has taken them, and who came since may have found no script ended
			UNDER_WAY.decrementAndGet(this);
		}
		return null;
	}

	private static CoalescedCall reversed(CoalescedCall newest) {
		CoalescedCall first = newest;
		CoalescedCall rest = newest.next;
		first.next = null;
		while (rest != null) {
			CoalescedCall following = rest.next;
			rest.next = first;
			first = rest;
			rest = following;
		}
		return first;
	}

}
