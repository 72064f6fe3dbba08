// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.List;

import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * Names one entry. A call asks for its hash and for its keys in Redis several times, so
 * both are worked out once.
 */
public final class CacheKey {

	private final String cache;

	private final List<String> parts;

	private final int hash;

	/**
	 * Known to {@link RedisCacheKeys} alone, which makes them when it needs them first.
	 */
	volatile RedisCacheKeys.@Nullable Names names;

	public CacheKey(String cache, List<String> parts) {
		this.cache = cache;
		this.parts = parts;
		this.hash = 31 * cache.hashCode() + parts.hashCode();
	}

	public static CacheKey of(String cache, @Nullable Object key, Object what) {
		return new CacheKey(cache, KeyText.of(key, what));
	}

	public static CacheKey whole(String cache) {
		return new CacheKey(cache, List.of());
	}

	public boolean isWhole() {
		return this.parts.isEmpty();
	}

	/**
	 * Returns whether what happens here concerns another entry.
	 */
	public boolean covers(CacheKey other) {
		return equals(other) || (isWhole() && this.cache.equals(other.cache));
	}

	public String cache() {
		return this.cache;
	}

	public List<String> parts() {
		return this.parts;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof CacheKey key && this.hash == key.hash && this.cache.equals(key.cache)
				&& hasParts(key.parts);
	}

	private boolean hasParts(List<String> others) {
		return (this.parts.size() == 1 && others.size() == 1) ? this.parts.get(0).equals(others.get(0))
				: this.parts.equals(others);
	}

	@Override
	public int hashCode() {
		return this.hash;
	}

	@Override
	public String toString() {
		return this.cache + this.parts;
	}

}
