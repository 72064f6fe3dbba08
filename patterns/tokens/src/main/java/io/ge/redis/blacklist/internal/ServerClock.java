// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

/**
 * The server's clock as this instance knows it: the time in a reply, plus the time since
 * its request was sent. So it is never behind the server, and ahead by no more than a
 * round trip. Counted from the reply it is never ahead.
 */
final class ServerClock {

	private static final long UNKNOWN = Long.MIN_VALUE;

	private volatile long offset = UNKNOWN;

	private volatile long leastOffset = UNKNOWN;

	/**
	 * Takes the time that a reply said, now that it has come.
	 */
	void set(long micros, long sentAtNanos) {
		set(micros, sentAtNanos, System.nanoTime());
	}

	void set(long micros, long sentAtNanos, long repliedAtNanos) {
		this.offset = micros - sentAtNanos / 1000;
		this.leastOffset = micros - repliedAtNanos / 1000;
	}

	boolean isKnown() {
		return this.offset != UNKNOWN;
	}

	long micros(long nanos) {
		return this.offset + nanos / 1000;
	}

	/**
	 * Returns a time in microseconds that has come on the server, 0 while nothing is
	 * known of its clock.
	 */
	long leastMicros(long nanos) {
		long least = this.leastOffset;
		return (least != UNKNOWN) ? least + nanos / 1000 : 0;
	}

}
