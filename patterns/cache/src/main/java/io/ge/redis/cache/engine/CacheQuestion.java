// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.engine;

import java.nio.ByteBuffer;

import io.ge.redis.cache.settings.CacheSettings;

/**
 * The question of a reader.
 *
 * @param readable the first bytes of values that it can read
 * @param replace whether to load whatever is there
 * @param refreshable whether it could replace a value before its expiry
 * @param open whether it may never say how its load has ended, so that nobody is to wait
 * for it
 */
public record CacheQuestion(CacheKey key, CacheSettings settings, ByteBuffer readable, boolean replace,
		boolean refreshable, boolean open) {

	public CacheQuestion(CacheKey key, CacheSettings settings, ByteBuffer readable, boolean open, boolean refreshable) {
		this(key, settings, readable, false, refreshable && !open, open);
	}

	public CacheQuestion replacing() {
		return new CacheQuestion(this.key, this.settings, this.readable, true, this.refreshable, this.open);
	}

}
