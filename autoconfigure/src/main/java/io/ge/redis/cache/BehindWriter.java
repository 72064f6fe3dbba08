/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * Takes changes of caches that are written behind.
 */
interface BehindWriter {

	/**
	 * Takes a change for its store.
	 * @return the version of the change
	 */
	long write(CacheKey key, @Nullable Object value);

	/**
	 * As {@link #write}, without blocking.
	 * @return completes with the version of the change, on a thread of the application
	 */
	CompletionStage<Long> writeAsync(CacheKey key, @Nullable Object value);

}
