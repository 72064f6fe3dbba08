/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.List;

import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * Names one entry.
 *
 * @param cache the cache's name
 * @param parts the key, as text
 */
record CacheKey(String cache, List<String> parts) {

	static CacheKey of(String cache, @Nullable Object key, Object what) {
		return new CacheKey(cache, KeyText.of(key, what));
	}

}
