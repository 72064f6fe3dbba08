/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.write;

import java.util.Collection;
import java.util.List;

import io.ge.redis.cache.engine.CacheKey;
import org.jspecify.annotations.Nullable;

/**
 * The loads and writes that a subscriber is inside of, innermost first. Propagates in its
 * context, to all that is subscribed to inside.
 *
 * @param outer what is around it, or {@code null} for nothing
 * @param loading the entries that are loaded
 * @param writing the writers that run
 */
record CacheScope(@Nullable CacheScope outer, Collection<CacheKey> loading, List<CacheWrite> writing) {

	boolean isLoading(CacheKey key) {
		for (CacheScope scope = this; scope != null; scope = scope.outer) {
			if (scope.loading.contains(key)) {
				return true;
			}
		}
		return false;
	}

	boolean isWriting(CacheKey key) {
		for (CacheScope scope = this; scope != null; scope = scope.outer) {
			for (CacheWrite write : scope.writing) {
				if (write.key().covers(key)) {
					return true;
				}
			}
		}
		return false;
	}

	boolean isInsideWriter(CacheKey key) {
		for (CacheScope scope = this; scope != null; scope = scope.outer) {
			if (scope.writing.stream().anyMatch((write) -> write.key().equals(key))) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Has the writers of an entry that are under way remove it.
	 */
	void dropValues(CacheKey key) {
		for (CacheScope scope = this; scope != null; scope = scope.outer) {
			scope.writing.stream().filter((write) -> write.key().equals(key)).forEach(CacheWrite::dropValue);
		}
	}

}
