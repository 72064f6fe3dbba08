// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import org.jspecify.annotations.Nullable;

/**
 * The change of a key that its store has not confirmed, if there is one.
 *
 * @param json the value, empty for none; {@code null} if there is no change
 */
public record PendingChange(byte @Nullable [] json) {

	/**
	 * Returns whether there is a change.
	 * @return whether the database may be older
	 */
	public boolean isPresent() {
		return this.json != null;
	}

}
