// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.time.Duration;
import java.util.Locale;

/**
 * A period for which a structure has data of its own, by the clock of Redis in UTC. The
 * script computes its key, so that instances need not agree on the time.
 */
public enum Window {

	/** One for all time. */
	NONE(Duration.ZERO),

	/** From one full hour to the next. */
	HOUR(Duration.ofHours(1)),

	/** From midnight to midnight. */
	DAY(Duration.ofDays(1)),

	/** From Monday to Sunday. */
	WEEK(Duration.ofDays(7)),

	/** A month of the calendar. */
	MONTH(Duration.ofDays(31));

	private final Duration length;

	private final String argument = name().toLowerCase(Locale.ROOT);

	Window(Duration length) {
		this.length = length;
	}

	/** Returns how long the window lasts at most, zero for {@link #NONE}. */
	public Duration length() {
		return this.length;
	}

	/** Returns the window as an argument of scripts. */
	public String argument() {
		return this.argument;
	}

}
