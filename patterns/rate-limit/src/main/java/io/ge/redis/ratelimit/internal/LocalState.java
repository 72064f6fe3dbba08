// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;

/**
 * The state of one limit for one key, counted by one instance while Redis is unavailable:
 * permits by the time at which they cease to count, oldest first. For an exact window
 * that is one window later. For sub-windows and fixed windows it is the end of one. A
 * token bucket is the time at which it is full again, as in the scripts. Times are
 * nanoseconds since some instant in the past. Not safe for use by several threads.
 */
final class LocalState {

	private static final int SUB_WINDOWS = 10;

	/** Number of times that are kept apart. */
	private static final long MOST_TIMES = 1000;

	private final Deque<Permits> counted = new ArrayDeque<>();

	private long used;

	/** The latest time at which a permit counts, perhaps ahead. */
	private long latest = Long.MIN_VALUE;

	/** When a bucket is full again, at one permit per interval. */
	private long full = Long.MIN_VALUE;

	private long interval = 1;

	/**
	 * Returns the earliest time at which a cost above zero is admitted.
	 */
	long earliest(RateLimit limit, long cost, long now) {
		forgetUntil(now);
		if (cost > limit.largestCost()) {
			return now + limit.window().toNanos();
		}
		if (isBucket(limit)) {
			return now + Math.max(0, missing(limit, now) - (limit.burst() - cost) * this.interval);
		}
		long tooMany = this.used + cost - limit.largestCost();
		if (tooMany <= 0) {
			return now;
		}
		for (Permits permits : this.counted) {
			tooMany -= permits.count;
			if (tooMany <= 0) {
				return permits.until;
			}
		}
		throw new IllegalStateException("More permits are used than were counted");
	}

	/**
	 * Counts permits at a time, and returns what distinguishes them from others.
	 */
	long charge(RateLimit limit, long cost, long at) {
		this.latest = Math.max(this.latest, at);
		if (isBucket(limit)) {
			this.full = Math.max(this.full, at) + cost * this.interval;
			return at;
		}
		this.used += cost;
		Permits last = this.counted.peekLast();
		long until = (last != null) ? Math.max(last.until, until(limit, at)) : until(limit, at);
		if (last == null || last.until != until) {
			last = new Permits(until);
			this.counted.addLast(last);
		}
		last.count += cost;
		return until;
	}

	void refund(RateLimit limit, long cost, long stamp, long now) {
		if (isBucket(limit)) {
			// Until the latest time the bucket may have been full without these
			long back = cost * this.interval - Math.max(0, Math.max(now, this.latest) - stamp);
			this.full -= (interval(limit) == this.interval) ? Math.max(0, back) : 0;
			return;
		}
		long open = cost;
		for (Iterator<Permits> newest = this.counted.descendingIterator(); open > 0 && newest.hasNext();) {
			Permits permits = newest.next();
			if (permits.until == stamp) {
				long given = Math.min(open, permits.count);
				permits.count -= given;
				this.used -= given;
				open -= given;
				if (permits.count == 0) {
					newest.remove();
				}
			}
		}
	}

	long left(RateLimit limit, long now) {
		forgetUntil(now);
		long taken = isBucket(limit) ? -Math.floorDiv(-missing(limit, now), this.interval) : this.used;
		return Math.max(0, limit.largestCost() - taken);
	}

	/**
	 * Returns when the next permit is restored, {@code now} if none is missing.
	 */
	long restoredAt(RateLimit limit, long now) {
		if (isBucket(limit)) {
			long missing = missing(limit, now);
			return (missing > 0) ? now + (missing - 1) % this.interval + 1 : now;
		}
		Permits oldest = this.counted.peekFirst();
		return (oldest != null) ? oldest.until : now;
	}

	/**
	 * Returns how long a bucket takes to fill. At another rate as many permits are
	 * missing.
	 */
	private long missing(RateLimit limit, long now) {
		long interval = interval(limit);
		long missing = Math.max(this.full, now) - now;
		if (interval != this.interval) {
			missing = (long) Math.ceil((double) missing / this.interval * interval);
			this.full = now + missing;
			this.interval = interval;
		}
		return missing;
	}

	private void forgetUntil(long now) {
		for (Permits oldest = this.counted.peekFirst(); oldest != null
				&& oldest.until <= now; oldest = this.counted.peekFirst()) {
			this.used -= oldest.count;
			this.counted.removeFirst();
		}
	}

	private static boolean isBucket(RateLimit limit) {
		return limit.algorithm() == RateLimitAlgorithm.TOKEN_BUCKET;
	}

	private static long interval(RateLimit limit) {
		return Math.max(1, -Math.floorDiv(-limit.window().toNanos(), limit.limit()));
	}

	private static long until(RateLimit limit, long at) {
		long window = limit.window().toNanos();
		return switch (limit.algorithm()) {
			case FIXED_WINDOW -> (at / window + 1) * window;
			case SLIDING_WINDOW_COUNTER -> endOf(at, window, SUB_WINDOWS);
			default -> (limit.limit() <= MOST_TIMES) ? at + window : endOf(at, window, MOST_TIMES);
		};
	}

	private static long endOf(long at, long window, long subWindows) {
		long length = -Math.floorDiv(-window, subWindows);
		return (at / length + subWindows + 1) * length;
	}

	private static final class Permits {

		private long until;

		private long count;

		Permits(long until) {
			this.until = until;
		}

	}

}
