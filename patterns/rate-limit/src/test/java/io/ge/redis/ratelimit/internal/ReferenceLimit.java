// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;

import io.ge.redis.ratelimit.internal.ScriptReplay.Ask;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a limit promises, told as simply as possible: each charged permit counts until it
 * comes back, and a call is admitted at the first time at which enough of them are back.
 * Apart from that, permits that were really used are recorded, to be held against the
 * limit in any window by {@link #judge}.
 */
abstract class ReferenceLimit {

	private static final long SECOND = 1_000_000;

	private static final long HOUR = 3600 * SECOND;

	final long limit;

	final long window;

	private final List<Long> uses = new ArrayList<>();

	ReferenceLimit(long limit, long window) {
		this.limit = limit;
		this.window = window;
	}

	static ReferenceLimit of(Ask ask) {
		return switch (ask.kind()) {
			case 'w' -> new Exact(ask.limit(), ask.window());
			case 'b' -> new Bucket(ask.limit(), ask.window(), ask.burst());
			case 'c' -> new Counter(ask.limit(), ask.window());
			default -> new Fixed(ask.limit(), ask.window());
		};
	}

	long capacity() {
		return this.limit;
	}

	/** The permits that count at a time. */
	abstract long countedAt(long time);

	/** When fewer permits count than at a time. */
	abstract long nextBack(long time);

	/** Charges and returns the stamp. */
	abstract long charge(long at, long cost);

	abstract void refund(long now, long permits, long stamp);

	/** When the state says nothing any more. */
	abstract long end();

	/** How long a state can live that is charged now. */
	long longestLife() {
		return this.window;
	}

	/** How far ahead permits can be charged, so how long a call can wait. */
	long reach() {
		return HOUR;
	}

	/** Holds the uses against the promise for any window. */
	abstract void judge(List<Long> sortedUses);

	static long ceilDiv(long dividend, long divisor) {
		return -Math.floorDiv(-dividend, divisor);
	}

	final long available(long now) {
		return capacity() - countedAt(now);
	}

	final long earliest(long now, long cost) {
		long time = now;
		while (cost > 0 && countedAt(time) + cost > capacity()) {
			time = nextBack(time);
		}
		return time;
	}

	final long restored(long now) {
		if (countedAt(now) == 0) {
			return 0;
		}
		long left = Math.max(0, available(now));
		long time = now;
		while (Math.max(0, available(time)) == left) {
			time = nextBack(time);
		}
		return time - now;
	}

	final void use(long time, long permits) {
		for (long i = 0; i < permits; i++) {
			this.uses.add(time);
		}
	}

	final void unuse(long time, long permits) {
		for (long i = 0; i < permits; i++) {
			this.uses.remove((Long) time);
		}
	}

	final void judge() {
		Collections.sort(this.uses);
		judge(this.uses);
	}

	/** No more than the limit within less than a window. */
	final void judgeAnyWindow(List<Long> sortedUses) {
		for (int i = 0; i + this.limit < sortedUses.size(); i++) {
			long time = sortedUses.get(i + (int) this.limit) - sortedUses.get(i);
			assertThat(time).as("time of %d uses from %d on, limit %d", this.limit + 1, sortedUses.get(i), this.limit)
				.isGreaterThanOrEqualTo(this.window);
		}
	}

	/** SLIDING_WINDOW. */
	private static final class Exact extends ReferenceLimit {

		private final List<Long> stamps = new ArrayList<>();

		Exact(long limit, long window) {
			super(limit, window);
		}

		@Override
		long countedAt(long time) {
			return this.stamps.stream().filter((stamp) -> stamp > time - this.window).count();
		}

		@Override
		long nextBack(long time) {
			return this.stamps.stream().filter((stamp) -> stamp > time - this.window).findFirst().orElseThrow()
					+ this.window;
		}

		@Override
		long charge(long at, long cost) {
			long last = this.stamps.isEmpty() ? at : this.stamps.get(this.stamps.size() - 1);
			long stamp = (last > at + SECOND) ? at : Math.max(at, last);
			this.stamps.addAll(Collections.nCopies((int) cost, stamp));
			Collections.sort(this.stamps);
			return stamp;
		}

		@Override
		void refund(long now, long permits, long stamp) {
			for (long i = 0; i < permits; i++) {
				this.stamps.remove((Long) stamp);
			}
		}

		@Override
		long end() {
			return this.stamps.get(this.stamps.size() - 1) + this.window;
		}

		@Override
		void judge(List<Long> sortedUses) {
			judgeAnyWindow(sortedUses);
		}

	}

	/** TOKEN_BUCKET. */
	private static final class Bucket extends ReferenceLimit {

		private final long burst;

		private final long interval;

		private long full;

		private long latest;

		Bucket(long limit, long window, long burst) {
			super(limit, window);
			this.burst = burst;
			this.interval = ceilDiv(window, limit);
		}

		@Override
		long capacity() {
			return this.burst;
		}

		@Override
		long countedAt(long time) {
			return Math.max(0, ceilDiv(this.full - time, this.interval));
		}

		@Override
		long nextBack(long time) {
			return this.full - (countedAt(time) - 1) * this.interval;
		}

		@Override
		long longestLife() {
			return this.burst * this.interval;
		}

		@Override
		long charge(long at, long cost) {
			this.latest = Math.max(this.latest, at);
			this.full = Math.max(this.full, at) + cost * this.interval;
			return at;
		}

		@Override
		void refund(long now, long permits, long stamp) {
			// Until now, or until the last call ahead begins, it might have been full
			// anyway
			long passed = Math.max(0, Math.max(now, this.latest) - stamp);
			this.full -= Math.max(0, permits * this.interval - passed);
		}

		@Override
		long end() {
			return this.full;
		}

		@Override
		void judge(List<Long> sortedUses) {
			for (int i = 0; i < sortedUses.size(); i++) {
				for (int j = i; j < sortedUses.size(); j++) {
					long time = sortedUses.get(j) - sortedUses.get(i);
					assertThat(j - i + 1L).as("uses within %d", time)
						.isLessThanOrEqualTo(this.burst + time / this.interval);
				}
			}
		}

	}

	/** SLIDING_WINDOW_COUNTER. */
	private static class Counter extends ReferenceLimit {

		private final long length;

		private final long past;

		private final TreeMap<Long, Long> counts = new TreeMap<>();

		Counter(long limit, long window) {
			this(limit, window, ceilDiv(window, 10), 10);
		}

		Counter(long limit, long window, long length, long past) {
			super(limit, window);
			this.length = length;
			this.past = past;
		}

		@Override
		long countedAt(long time) {
			return this.counts.tailMap(time / this.length - this.past)
				.values()
				.stream()
				.mapToLong(Long::longValue)
				.sum();
		}

		@Override
		long nextBack(long time) {
			long index = this.counts.tailMap(time / this.length - this.past)
				.entrySet()
				.stream()
				.filter((entry) -> entry.getValue() > 0)
				.findFirst()
				.orElseThrow()
				.getKey();
			return (index + this.past + 1) * this.length;
		}

		@Override
		long charge(long at, long cost) {
			this.counts.merge(at / this.length, cost, Long::sum);
			return at / this.length;
		}

		@Override
		void refund(long now, long permits, long stamp) {
			this.counts.computeIfPresent(stamp, (index, count) -> Math.max(0, count - permits));
		}

		@Override
		long longestLife() {
			return (this.past + 1) * this.length;
		}

		@Override
		long reach() {
			return Math.min(super.reach(), 600 * this.length);
		}

		@Override
		long end() {
			return (this.counts.lastKey() + this.past + 1) * this.length;
		}

		@Override
		void judge(List<Long> sortedUses) {
			judgeAnyWindow(sortedUses);
		}

	}

	/** FIXED_WINDOW. */
	private static final class Fixed extends Counter {

		Fixed(long limit, long window) {
			super(limit, window, window, 0);
		}

		@Override
		void judge(List<Long> sortedUses) {
			for (int i = 0; i + this.limit < sortedUses.size(); i++) {
				long last = sortedUses.get(i + (int) this.limit);
				assertThat(sortedUses.get(i) / this.window).as("window of the use at %d", sortedUses.get(i))
					.isLessThan(last / this.window);
			}
		}

	}

}
