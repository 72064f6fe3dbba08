/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows whether a transaction inside of others may have been rolled back. For that it is
 * enough to know when the youngest of those that were rolled back had begun. All times
 * are as of the system's nano time.
 */
final class Rollbacks {

	private final AtomicLong youngest = new AtomicLong(System.nanoTime());

	/**
	 * A transaction was rolled back, or perhaps so.
	 * @param began when it began, or when it was rolled back if that is not known
	 */
	void add(long began) {
		this.youngest.accumulateAndGet(began, (last, next) -> (next - last > 0) ? next : last);
	}

	/**
	 * Returns whether any transaction that has begun since was rolled back.
	 */
	boolean isAnySince(long begin) {
		return this.youngest.get() - begin > 0;
	}

}
