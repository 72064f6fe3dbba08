// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import org.jspecify.annotations.Nullable;

/**
 * A value in memory.
 *
 * @param value the value, or {@code null} for absence; all callers get the same object
 * @param token the token of its load
 * @param until until when it may be served, by {@link System#nanoTime()}
 * @param stamp the version of invalidations that its loader knew
 * @param tags hashes of its tags
 */
public record NearValue(@Nullable Object value, CacheType type, NearToken token, long until, long stamp,
		long... tags) implements NearStore.Slot {

}
