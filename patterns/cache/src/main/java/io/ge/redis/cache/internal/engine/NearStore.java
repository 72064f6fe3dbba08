// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import org.jspecify.annotations.Nullable;

/**
 * The memory of one cache: a map of a bounded size. All operations on one key happen one
 * after the other.
 */
public interface NearStore {

	@Nullable Slot get(CacheKey key);

	/**
	 * Puts a token unless there is one.
	 * @return the token that is there now
	 */
	NearToken begin(NearToken token);

	/**
	 * Puts a value where the slot is {@linkplain NearToken#mayReplace replaceable}.
	 */
	void replace(NearToken token, NearValue value);

	/**
	 * Removes a token, if it still exists.
	 */
	void remove(NearToken token);

	void remove(CacheKey key);

	void clear();

	long size();

	/**
	 * The place of an entry in memory: a value, or the token of a load that may bring
	 * one.
	 */
	sealed interface Slot permits NearToken, NearValue {

		/**
		 * Returns the token of the load that it belongs to.
		 */
		NearToken token();

	}

}
