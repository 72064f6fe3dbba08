// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import io.ge.redis.cache.WriteBehindProperties;

/**
 * A change in the form that Redis stores.
 *
 * @param json the value, empty for none
 * @param mention the position of the key in the queue, empty for none
 */
record WaitingChange(String key, long version, int failures, byte[] json, String mention) {

	/** Messages of exceptions may be long. */
	private static final int LONGEST_REASON = 500;

	Settled done() {
		return new Settled(this, Settled.Outcome.DONE, this.failures, "");
	}

	Settled failed(Throwable failure, WriteBehindProperties properties) {
		int times = this.failures + 1;
		if (times < properties.maxAttempts()) {
			return new Settled(this, Settled.Outcome.RETRY, times, Long.toString(properties.delay(times).toMillis()));
		}
		String reason = failure.toString();
		return new Settled(this, Settled.Outcome.DEAD, times,
				reason.substring(0, Math.min(reason.length(), LONGEST_REASON)));
	}

	/**
	 * The result of a change.
	 *
	 * @param failures how often its writing has failed by now
	 * @param detail for a repetition the milliseconds until then, for a dead letter the
	 * reason
	 */
	record Settled(WaitingChange change, Outcome outcome, int failures, String detail) {

		enum Outcome {

			/** Written. */
			DONE,

			/** To be tried again. */
			RETRY,

			/** Given up. */
			DEAD

		}

	}

}
