// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The state of a container of this instance.
 *
 * @param source the name of its source
 * @param state its state
 * @param concurrency the permits
 * @param available how many of them are free
 * @param inFlight how many deliveries are handled or wait to be settled
 * @param sinceTaken how long ago the source answered last, or {@code null} if it never
 * has
 * @param period how often it asks its source at least, while permits are free
 * @param stuck whether a call of its handler has lasted for longer than it may
 * @param problem the reason why it takes nothing, or {@code null} if it takes, or is
 * paused
 */
public record ConsumerReport(String source, State state, int concurrency, int available, int inFlight,
		@Nullable Duration sinceTaken, Duration period, boolean stuck, @Nullable String problem) {

	private static final int MISSED = 3;

	/**
	 * Returns whether its handler should have returned by now, or its source have
	 * answered: it has not for three periods, and at least three seconds, though the
	 * container is to take and has permits.
	 */
	public boolean isOverdue() {
		if (this.stuck) {
			return true;
		}
		if (this.available == 0 || (this.state != State.RUNNING && this.state != State.OUTAGE)) {
			return false;
		}
		if (this.sinceTaken == null) {
			return this.problem != null;
		}
		Duration periods = this.period.multipliedBy(MISSED);
		return this.sinceTaken.compareTo(periods) > 0 && this.sinceTaken.toSeconds() >= MISSED;
	}

	/**
	 * Returns whether messages wait although the container is paused.
	 */
	public boolean isNeglected() {
		return this.state == State.PAUSED && this.problem != null;
	}

	public enum State {

		/** Takes work as permits allow. */
		RUNNING,
		/**
		 * Takes nothing by decision, or was not started yet; work in flight continues.
		 */
		PAUSED,
		/** Takes nothing until Redis answers. */
		OUTAGE,
		/** Takes nothing any more, and ends the work in flight. */
		STOPPING,
		/** Not started, or stopped. */
		STOPPED

	}

}
