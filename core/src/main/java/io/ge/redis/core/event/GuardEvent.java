// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import org.jspecify.annotations.Nullable;

/**
 * Something that a guard decided or noticed. Each pattern has its own event records; they
 * carry names, never keys or secrets. Also published as a Spring application event,
 * unless {@link #isApplicationEvent()} says otherwise.
 */
public interface GuardEvent {

	/**
	 * Returns the pattern.
	 * @return the pattern's package name, such as {@code ratelimit}
	 */
	String pattern();

	/**
	 * Returns the name of the guard, as in the annotation or derived from the method.
	 * @return the name
	 */
	String name();

	/**
	 * Returns what happened, one of few words.
	 * @return the outcome in lower case, such as {@code denied}
	 */
	String result();

	/**
	 * Returns whether the event is also published as an application event, besides to the
	 * {@link GuardListener} beans.
	 * @return {@code true} for all but what happens very often and takes hardly any time
	 */
	default boolean isApplicationEvent() {
		return true;
	}

	/**
	 * Returns the meter of events of this kind.
	 * @return the meter, or {@code null} if they are not measured
	 */
	default @Nullable EventMeter meter() {
		return null;
	}

	/**
	 * Returns a second meter that counts this event, by its name alone.
	 * @return the meter, or {@code null} if there is none
	 */
	default @Nullable EventMeter secondMeter() {
		return null;
	}

	/**
	 * Returns the position of this event among the series of its meter: the last tag
	 * changes first.
	 * @return the position
	 */
	default int series() {
		return 0;
	}

	/**
	 * Returns by how much the meter grows.
	 * @return a number, or nanoseconds for a timer
	 */
	default long amount() {
		return 1;
	}

}
