// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The decision of Redis on requests in one slot. Times are converted to the clock of this
 * JVM such that an error is on the safe side: what ends, ends no later than in Redis,
 * counted from the sending of the call; what begins, begins no earlier, counted from its
 * return.
 */
record RedisDecision(List<PermitRequest> requests, long[] reply, long sentAt, long receivedAt) {

	/** Allowed, now, at, permits of others. */
	private static final int HEAD = 4;

	/** Left, restored, wait, stamp. */
	private static final int FIELDS = 4;

	boolean isAllowed() {
		return this.reply[0] == 1;
	}

	boolean isLater() {
		return this.reply[2] > this.reply[1];
	}

	/**
	 * Returns the decision on one of several calls of the same kind.
	 * @return its decision, or {@code null} if it was left undecided
	 */
	@Nullable RedisDecision ofCall(int position) {
		long cost = this.requests.get(0).cost();
		long admitted = 1 + others() / Math.max(1, cost);
		if (!isAllowed() || (position == 0 && admitted == 1 && !refusesOthers())) {
			return this;
		}
		if (position >= admitted && !refusesOthers()) {
			return null;
		}
		long[] own = this.reply.clone();
		own[0] = (position < admitted) ? 1 : 0;
		own[3] = 0;
		for (int i = HEAD; i < own.length; i += FIELDS) {
			if (position < admitted) {
				own[i] += (admitted - 1 - position) * cost;
				own[i + 2] = 0;
			}
			else {
				own[i + 3] = 0;
			}
		}
		return new RedisDecision(this.requests, own, this.sentAt, this.receivedAt);
	}

	private boolean refusesOthers() {
		for (int i = 0; i < this.requests.size(); i++) {
			if (waitNanos(i) > 0) {
				return true;
			}
		}
		return false;
	}

	long usableAt() {
		return this.receivedAt + nanos(this.reply[2] - this.reply[1]);
	}

	/**
	 * Returns how many permits of each limit were taken for other calls.
	 */
	long others() {
		return this.reply[3];
	}

	public long left(int index) {
		return this.reply[HEAD + index * FIELDS];
	}

	public long restoredNanos(int index) {
		return nanos(this.reply[HEAD + index * FIELDS + 1]);
	}

	long waitNanos(int index) {
		return nanos(this.reply[HEAD + index * FIELDS + 2]);
	}

	/**
	 * Returns the stamp that identifies the charge, zero if this limit was not charged.
	 */
	long stamp(int index) {
		return this.reply[HEAD + index * FIELDS + 3];
	}

	void addTo(EngineDecision.Limits limits) {
		for (int i = 0; i < this.requests.size(); i++) {
			limits.add(this.requests.get(i), left(i), restoredNanos(i), waitNanos(i));
		}
	}

	private static long nanos(long micros) {
		return micros * 1000;
	}

}
