/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.behind;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * Something happened to changes of a cache that is written behind, on the instance that
 * writes them.
 */
public sealed interface WriteBehindEvent extends GuardEvent {

	/**
	 * {@code ge.redis.cache.behind.retried}: failed writings of changes by cache.
	 */
	EventMeter RETRIED = EventMeter
		.counter("ge.redis.cache.behind.retried", "Failed writes of changes, which are retried")
		.of("cache");

	/**
	 * {@code ge.redis.cache.behind.dead}: changes given up by cache.
	 */
	EventMeter DEAD = EventMeter.counter("ge.redis.cache.behind.dead", "Changes given up, kept as dead letters")
		.of("cache");

	/**
	 * {@code ge.redis.cache.behind.written}: changes by cache; at zero from the start, as
	 * those of changes that are tried again or given up.
	 */
	EventMeter WRITTEN = EventMeter.counter("ge.redis.cache.behind.written", "Changes written to the store")
		.of("cache")
		.with(RETRIED, DEAD);

	@Override
	default String pattern() {
		return "cache";
	}

	@Override
	default EventMeter meter() {
		return WRITTEN;
	}

	/**
	 * This instance has a store and begins to write.
	 *
	 * @param name the cache's name
	 */
	record Started(String name) implements WriteBehindEvent {

		@Override
		public String result() {
			return "started";
		}

		@Override
		public long amount() {
			return 0;
		}

	}

	/**
	 * Changes are in the store.
	 *
	 * @param name the cache's name
	 * @param count how many
	 */
	record Written(String name, int count) implements WriteBehindEvent {

		@Override
		public String result() {
			return "written";
		}

		@Override
		public long amount() {
			return this.count;
		}

	}

	/**
	 * The writing of changes has failed and is tried again.
	 *
	 * @param name the cache's name
	 * @param count how many
	 */
	record Retried(String name, int count) implements WriteBehindEvent {

		@Override
		public String result() {
			return "retried";
		}

		@Override
		public EventMeter meter() {
			return RETRIED;
		}

		@Override
		public long amount() {
			return this.count;
		}

	}

	/**
	 * Changes were given up and are dead letters now.
	 *
	 * @param name the cache's name
	 * @param count how many
	 */
	record Dead(String name, int count) implements WriteBehindEvent {

		@Override
		public String result() {
			return "dead";
		}

		@Override
		public EventMeter meter() {
			return DEAD;
		}

		@Override
		public long amount() {
			return this.count;
		}

	}

}
