/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.behind;

import io.ge.redis.core.event.GuardEvent;

/**
 * Something happened to changes of a cache that is written behind, on the instance that
 * writes them.
 */
public sealed interface WriteBehindEvent extends GuardEvent {

	@Override
	default String pattern() {
		return "cache";
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

	}

}
