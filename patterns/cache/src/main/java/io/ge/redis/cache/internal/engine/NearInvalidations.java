// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.cache.internal.behind.KeyParts;

/**
 * The text of the message that an entry has changed: the name of its cache and the parts
 * of its key, as {@link KeyParts}.
 */
public final class NearInvalidations {

	/**
	 * Largest number of characters that a name and a key have together. Every instance
	 * gets the text of each change, and a server ends subscriptions that take too much
	 * memory. So longer ones are not published, and not kept in memory either.
	 */
	public static final int MOST = 1024;

	private NearInvalidations() {
	}

	/**
	 * Returns whether changes of an entry are published, so that it may be kept in
	 * memory.
	 */
	public static boolean isPublished(CacheKey key) {
		long length = key.cache().length();
		for (String part : key.parts()) {
			length += 1 + part.length();
		}
		return length <= MOST;
	}

	public static String write(CacheKey key) {
		List<String> names = new ArrayList<>(List.of(key.cache()));
		names.addAll(key.parts());
		return KeyParts.join(names);
	}

	static CacheKey read(String text) {
		List<String> names = KeyParts.split(text);
		return new CacheKey(names.get(0), names.subList(1, names.size()));
	}

}
