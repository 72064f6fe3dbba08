/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.event;

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
	 * Returns whether the application is told by an application event, and not only the
	 * {@link GuardListener} beans.
	 * @return {@code true} for all but what happens very often and takes hardly any time
	 */
	default boolean isApplicationEvent() {
		return true;
	}

}
