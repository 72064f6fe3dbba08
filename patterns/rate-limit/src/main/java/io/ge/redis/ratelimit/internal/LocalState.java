// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;

/**
 * The state of one limit for one key, counted by one instance while Redis is unavailable.
 * Times are nanoseconds since some instant in the past. Not safe for use by several
 * threads.
 */
sealed interface LocalState {

	static LocalState of(RateLimitAlgorithm algorithm) {
		return (algorithm == RateLimitAlgorithm.TOKEN_BUCKET) ? new Bucket() : new Window();
	}

	/**
	 * Returns the earliest time at which a cost above zero is admitted.
	 */
	long earliest(RateLimit limit, long cost, long now);

	/**
	 * Counts permits at a time, and returns what tells them from others.
	 */
	long charge(RateLimit limit, long cost, long at);

	void refund(RateLimit limit, long cost, long stamp, long now);

	long left(RateLimit limit, long now);

	/**
	 * Returns when the next permit comes back, {@code now} if none is missing.
	 */
	long restoredAt(RateLimit limit, long now);

	/**
	 * Permits by the time at which they cease to count, oldest first. For an exact window
	 * that is one window later; for sub-windows and fixed windows the end of one, so that
	 * there are few different times.
	 */
	final class Window implements LocalState {

		private static final int SUB_WINDOWS = 10;

		/** More different times are not told apart. */
		private static final long MOST_TIMES = 1000;

		private final Deque<Permits> counted = new ArrayDeque<>();

		private long used;

		@Override
		public long earliest(RateLimit limit, long cost, long now) {
			forgetUntil(now);
			if (cost > limit.limit()) {
				return now + limit.window().toNanos();
			}
			long tooMany = this.used + cost - limit.limit();
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

		@Override
		public long charge(RateLimit limit, long cost, long at) {
			Permits last = this.counted.peekLast();
			long until = (last != null) ? Math.max(last.until, until(limit, at)) : until(limit, at);
			if (last == null || last.until != until) {
				last = new Permits(until);
				this.counted.addLast(last);
			}
			last.count += cost;
			this.used += cost;
			return until;
		}

		@Override
		public void refund(RateLimit limit, long cost, long stamp, long now) {
			for (Iterator<Permits> latest = this.counted.descendingIterator(); latest.hasNext();) {
				Permits permits = latest.next();
				if (permits.until == stamp) {
					long given = Math.min(cost, permits.count);
					permits.count -= given;
					this.used -= given;
					if (permits.count == 0) {
						latest.remove();
					}
					return;
				}
			}
		}

		@Override
		public long left(RateLimit limit, long now) {
			forgetUntil(now);
			return Math.max(0, limit.limit() - this.used);
		}

		@Override
		public long restoredAt(RateLimit limit, long now) {
			Permits oldest = this.counted.peekFirst();
			return (oldest != null) ? oldest.until : now;
		}

		private void forgetUntil(long now) {
			for (Permits oldest = this.counted.peekFirst(); oldest != null
					&& oldest.until <= now; oldest = this.counted.peekFirst()) {
				this.used -= oldest.count;
				this.counted.removeFirst();
			}
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

	}

	final class Permits {

		private final long until;

		private long count;

		Permits(long until) {
			this.until = until;
		}

	}

	/**
	 * The time at which the bucket will be full again.
	 */
	final class Bucket implements LocalState {

		private long arrival;

		/** The latest time at which a permit counts, perhaps ahead. */
		private long latest = Long.MIN_VALUE;

		@Override
		public long earliest(RateLimit limit, long cost, long now) {
			if (cost > limit.burst()) {
				return now + limit.window().toNanos();
			}
			return Math.max(now, this.arrival + cost * interval(limit) - capacity(limit));
		}

		@Override
		public long charge(RateLimit limit, long cost, long at) {
			this.latest = Math.max(this.latest, at);
			this.arrival = Math.max(this.arrival, at) + cost * interval(limit);
			return at;
		}

		@Override
		public void refund(RateLimit limit, long cost, long stamp, long now) {
			// In the time until the latest one the bucket may have been full without
			// these
			long back = cost * interval(limit) - Math.max(0, Math.max(now, this.latest) - stamp);
			if (back > 0) {
				this.arrival -= back;
			}
		}

		@Override
		public long left(RateLimit limit, long now) {
			return Math.max(0, (capacity(limit) - Math.max(0, this.arrival - now)) / interval(limit));
		}

		@Override
		public long restoredAt(RateLimit limit, long now) {
			if (this.arrival <= now) {
				return now;
			}
			return this.arrival - capacity(limit) + (left(limit, now) + 1) * interval(limit);
		}

		private static long interval(RateLimit limit) {
			return Math.max(1, -Math.floorDiv(-limit.window().toNanos(), limit.limit()));
		}

		private static long capacity(RateLimit limit) {
			return Math.min(limit.burst(), Long.MAX_VALUE / 4 / interval(limit)) * interval(limit);
		}

	}

}
