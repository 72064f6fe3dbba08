/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long values of each cache take to load, so that one that a writer publishes can be
 * refreshed in time as well. Follows a change within a few loads.
 */
public final class LoadTimes {

	private final Map<String, Long> millis = new ConcurrentHashMap<>();

	public void note(String cache, long loadMillis) {
		this.millis.merge(cache, loadMillis, (known, next) -> (3 * known + next) / 4);
	}

	/**
	 * Returns the load time in milliseconds, or 0 if this instance has loaded nothing.
	 */
	public long of(String cache) {
		return this.millis.getOrDefault(cache, 0L);
	}

}
