// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.function.Function;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.NewValue;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One of the things that a writer changes.
 *
 * @param key names the entry, or the cache as a whole
 * @param value makes the value of the entry, or {@code null} if it is to be removed
 * @param tags which entries are outdated, if the cache is named as a whole
 */
public record WritePart(CacheKey key, @Nullable Valuation value, Function<@Nullable Object, CacheTags> tags) {

	private static final Log logger = LogFactory.getLog(CacheWriter.class);

	public static WritePart of(CacheKey key, @Nullable Valuation value) {
		return new WritePart(key, value, (result) -> CacheTags.ALL);
	}

	public static WritePart of(String cache, Function<@Nullable Object, CacheTags> tags) {
		return new WritePart(CacheKey.whole(cache), null, tags);
	}

	boolean isRemoval() {
		return this.value == null;
	}

	/**
	 * Makes the value. The change may be committed already: whatever is wrong with the
	 * value, the caller must not take it for a failure of the change.
	 * @param stamp the version that was known before the work
	 * @return the value, or {@code null} if the entry is to be removed
	 */
	@Nullable NewValue valueOf(@Nullable Object result, long stamp) {
		try {
			return (this.value != null) ? this.value.of(result, stamp) : null;
		}
		catch (Exception ex) {
			logger.warn("A value for cache '" + this.key.cache() + "' could not be made, its entry is removed: "
					+ ex.getMessage());
			return null;
		}
	}

	/**
	 * Says which entries are outdated. If that cannot be found out, all are.
	 * @param returned whether the work has returned
	 */
	void choose(CacheWrite write, @Nullable Object result, boolean returned) {
		try {
			write.tags(this.tags.apply(result));
		}
		catch (Exception ex) {
			if (returned) {
				logger.warn("Which entries of cache '" + this.key.cache()
						+ "' are to be invalidated is not known, all are: " + ex.getMessage());
			}
		}
	}

	@FunctionalInterface
	public interface Valuation {

		/**
		 * Returns the value.
		 * @param stamp the version that was known before the work
		 * @return the value, or {@code null} if the entry is to be removed
		 */
		@Nullable NewValue of(@Nullable Object result, long stamp);

	}

}
