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
 * others unless there are many. Nobody waits either if the last script took so long that
 * a second of its kind would be felt. No lock: who waits adds itself to a stack, and who
 * ends a script takes the whole stack.
 */
final class CoalescedCalls {

	static final int MOST_UNDER_WAY = 4;

	private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private static final AtomicIntegerFieldUpdater<CoalescedCalls> UNDER_WAY = AtomicIntegerFieldUpdater
		.newUpdater(CoalescedCalls.class, "underWay");

	private static final AtomicReferenceFieldUpdater<CoalescedCalls, @Nullable CoalescedCall> LAST = AtomicReferenceFieldUpdater
		.newUpdater(CoalescedCalls.class, CoalescedCall.class, "last");

	private volatile int underWay;

	private volatile @Nullable CoalescedCall last;

	private volatile boolean slow;

	/**
	 * Enters a call.
	 * @return the calls to be sent now, from the oldest on: this one, if need be with
	 * others; or {@code null} if it waits until a script ends
	 */
	@Nullable CoalescedCall enter(CoalescedCall call) {
		if (this.last == null && begin()) {
			return call;
		}
		call.beginWait(System.nanoTime());
		CoalescedCall before;
		do {
			before = this.last;
			call.next = before;
		}
		while (!LAST.compareAndSet(this, before, call));
		// The scripts under way may have ended in the meantime
		return takeWaiting();
	}

	/**
	 * Takes note that a script has ended.
	 * @param tookNanos how long it took, or a negative number if it failed
	 * @return the calls to be sent now, from the oldest on, or {@code null} if there are
	 * none
	 */
	@Nullable CoalescedCall ended(long tookNanos) {
		this.slow = tookNanos < 0 || tookNanos > LONG_NANOS;
		UNDER_WAY.decrementAndGet(this);
		return takeWaiting();
	}

	/**
	 * Takes note of one more script, of a call that cannot share that of the others.
	 */
	void beginAnother() {
		UNDER_WAY.incrementAndGet(this);
	}

	private boolean begin() {
		int present;
		do {
			present = this.underWay;
			if (present >= MOST_UNDER_WAY && !this.slow) {
				return false;
			}
		}
		while (!UNDER_WAY.compareAndSet(this, present, present + 1));
		return true;
	}

	private @Nullable CoalescedCall takeWaiting() {
		while (this.last != null && begin()) {
			CoalescedCall taken = LAST.getAndSet(this, null);
			if (taken != null) {
				return reversed(taken);
			}
			// Another has taken them, and who came since may have found no script ended
			UNDER_WAY.decrementAndGet(this);
		}
		return null;
	}

	private static CoalescedCall reversed(CoalescedCall newest) {
		long now = System.nanoTime();
		CoalescedCall first = newest;
		CoalescedCall rest = newest.next;
		first.next = null;
		first.endWait(now);
		while (rest != null) {
			CoalescedCall following = rest.next;
			rest.next = first;
			rest.endWait(now);
			first = rest;
			rest = following;
		}
		return first;
	}

}
