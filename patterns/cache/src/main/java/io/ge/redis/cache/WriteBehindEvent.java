// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * An event of changes of a cache that is written behind, on the instance that writes
 * them.
 *
 * @param name the cache's name
 * @param outcome the outcome of the changes
 * @param amount the number of changes
 */
public record WriteBehindEvent(String name, Outcome outcome, long amount) implements GuardEvent {

	private static final EventMeter RETRIED = EventMeter
		.counter("ge.redis.cache.behind.retried", "Failed writes of changes, which are retried")
		.of("cache");

	private static final EventMeter DEAD = EventMeter
		.counter("ge.redis.cache.behind.dead", "Changes given up, kept as dead letters")
		.of("cache");

	/**
	 * {@code ge.redis.cache.behind.written}: changes by cache. It is zero from the start,
	 * like the meters of changes that are tried again or given up.
	 */
	public static final EventMeter WRITTEN = EventMeter
		.counter("ge.redis.cache.behind.written", "Changes written to the store")
		.of("cache")
		.with(RETRIED, DEAD);

	@Override
	public String pattern() {
		return "cache";
	}

	@Override
	public String result() {
		return this.outcome.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public EventMeter meter() {
		return switch (this.outcome) {
			case STARTED, WRITTEN -> WRITTEN;
			case RETRIED -> RETRIED;
			case DEAD -> DEAD;
		};
	}

	/**
	 * The outcome of changes. {@code STARTED} means that this instance has a store and
	 * begins to write. {@code RETRIED} means that writing has failed and is tried again.
	 * {@code DEAD} means that changes were given up and are dead letters now.
	 */
	public enum Outcome {

		STARTED, WRITTEN, RETRIED, DEAD

	}

}
