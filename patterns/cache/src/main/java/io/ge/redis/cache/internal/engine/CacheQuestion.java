// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The request of a reader.
 *
 * @param readable the first bytes of values that it can read
 * @param replace whether to load whatever is there
 * @param gets whether a {@code GET} is enough for a hit
 * @param refreshable whether it could replace a value before its expiry
 * @param open whether it may never report how its load has ended, so that no reader is to
 * wait for it
 */
public record CacheQuestion(CacheKey key, CacheSettings settings, ByteBuffer readable, boolean replace, boolean gets,
		boolean refreshable, boolean open) {

	public CacheQuestion(CacheKey key, CacheSettings settings, ByteBuffer readable, boolean open, boolean refreshable) {
		this(key, settings, readable, false, true, refreshable && !open, open);
	}

	public CacheQuestion replacing() {
		return new CacheQuestion(this.key, this.settings, this.readable, true, false, this.refreshable, this.open);
	}

	/**
	 * Returns the same request of a reader that needs the exact time to the expiry.
	 */
	public CacheQuestion timed() {
		return new CacheQuestion(this.key, this.settings, this.readable, this.replace, false, this.refreshable,
				this.open);
	}

	boolean isReadable(byte[] entry) {
		byte[] first = this.readable.array();
		return entry.length >= first.length && Arrays.equals(entry, 0, first.length, first, 0, first.length);
	}

}
