/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.engine.CacheLookup;
import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;

/**
 * An entry for a caller that loads by itself.
 */
record OpenSource(CacheReadParts parts, CacheKey key, CacheType type, ResultForm form) implements CacheEntrySource {

	@Override
	public boolean isOpen() {
		return true;
	}

	// Asked only where a change that waits for the store turns out to be unreadable
	@Override
	public @Nullable Object load() {
		return promises().of(new OpenMiss(this.parts, this.key, this.type, CacheLookup.Load.UNSTORED,
				Snapshot.NONE.ageMillis(), CacheInvalidations.UNSTAMPABLE));
	}

}
