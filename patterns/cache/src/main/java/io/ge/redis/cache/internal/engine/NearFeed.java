// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Whether this instance knows all changes, without which memory must not answer. A
 * message that it sends to itself arrives after all change notifications published
 * before. So nothing in memory had changed when the last confirmed one was sent. When the
 * subscription is lost, an epoch ends, and what was asked for in it is never served
 * again.
 */
public final class NearFeed {

	/** The time for which messages are needed is prolonged in steps. */
	private static final long STEP_NANOS = Duration.ofMillis(100).toNanos();

	private final LongSupplier clock;

	private final LongSupplier confirmedAt;

	private final long maxStaleness;

	private final AtomicLong epoch = new AtomicLong();

	private volatile long since;

	private volatile long neededUntil;

	/**
	 * Creates a feed.
	 * @param clock the time, {@link System#nanoTime()}
	 * @param confirmedAt when the last message was sent that came back over the present
	 * subscription
	 */
	public NearFeed(LongSupplier clock, LongSupplier confirmedAt, Duration maxStaleness) {
		this.clock = clock;
		this.confirmedAt = confirmedAt;
		this.maxStaleness = maxStaleness.toNanos();
		this.since = clock.getAsLong();
		this.neededUntil = this.since;
	}

	long now() {
		return this.clock.getAsLong();
	}

	long epoch() {
		return this.epoch.get();
	}

	/**
	 * Returns when the present epoch began, in which change notifications arrive without
	 * a gap as far as they are confirmed.
	 */
	long since() {
		return this.since;
	}

	/**
	 * Returns whether all change notifications are known up to the age that served values
	 * may have.
	 */
	boolean isConfirmed(long now) {
		return now - this.confirmedAt.getAsLong() <= this.maxStaleness;
	}

	/**
	 * The subscription was lost or is active again.
	 */
	void interrupted() {
		this.since = this.clock.getAsLong();
		this.epoch.incrementAndGet();
	}

	/**
	 * Has the messages to itself sent.
	 */
	void need(long until) {
		if (until - this.neededUntil > STEP_NANOS) {
			this.neededUntil = until;
		}
	}

	/**
	 * Returns whether something may be in memory, so that messages are to be sent.
	 */
	public boolean isNeeded() {
		return this.neededUntil - this.clock.getAsLong() > 0;
	}

}
