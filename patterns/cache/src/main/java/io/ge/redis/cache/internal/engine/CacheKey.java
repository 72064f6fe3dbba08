// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.cache.internal.behind.KeyParts;
import io.ge.redis.core.invocation.KeyText;
import org.jspecify.annotations.Nullable;

/**
 * Names one entry. A call asks for its hash and for its keys in Redis several times, so
 * both are worked out once.
 */
public final class CacheKey {

	/**
	 * Largest number of characters that a name and a key have together whose changes are
	 * published. Every instance gets the text of each change, and a server ends
	 * subscriptions that take too much memory. So entries with longer ones are not kept
	 * in memory either.
	 */
	public static final int MOST_PUBLISHED = 1024;

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

	public boolean isPublished() {
		long length = this.cache.length();
		for (String part : this.parts) {
			length += 1 + part.length();
		}
		return length <= MOST_PUBLISHED;
	}

	/**
	 * Returns the text of the message that the entry has changed.
	 */
	public String message() {
		List<String> names = new ArrayList<>(List.of(this.cache));
		names.addAll(this.parts);
		return KeyParts.join(names);
	}

	public static CacheKey ofMessage(String message) {
		List<String> names = KeyParts.split(message);
		return new CacheKey(names.get(0), names.subList(1, names.size()));
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
