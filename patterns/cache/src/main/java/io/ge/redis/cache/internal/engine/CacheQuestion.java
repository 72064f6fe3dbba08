// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The request of a reader.
 *
 * @param readable the first bytes of values that it can read
 * @param replace whether to load whatever is there
 * @param timed whether it needs the exact time to the expiry
 * @param refreshable whether it could replace a value before its expiry
 * @param open whether it may never report how its load has ended, so that no reader is to
 * wait for it
 */
public record CacheQuestion(CacheKey key, CacheSettings settings, ByteBuffer readable, boolean replace, boolean timed,
		boolean refreshable, boolean open) {

	/**
	 * Returns whether a {@code GET} is enough for a hit.
	 */
	boolean gets() {
		return !this.replace && !this.timed;
	}

	boolean isReadable(byte[] entry) {
		byte[] first = this.readable.array();
		return entry.length >= first.length && Arrays.equals(entry, 0, first.length, first, 0, first.length);
	}

}
