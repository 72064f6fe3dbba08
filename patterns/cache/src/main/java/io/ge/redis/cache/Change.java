// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A change of a cache that is written behind.
 *
 * @param parts the key: one text, or several where the key is a list
 * @param value the new value; {@code null} for a removed one
 * @param version a number higher than in every earlier change of this key, and likely not
 * the next one: a server time in microseconds or more. It rises also after Redis has lost
 * its data. The exception is a new server whose clock is behind, if no instance remembers
 * a higher version
 */
public record Change<V>(List<String> parts, @Nullable V value, long version) {

	/**
	 * Returns the key.
	 * @throws IllegalStateException if the key is a list, see {@link #parts()}
	 */
	public String key() {
		Assert.state(this.parts.size() == 1, "The key is a list: see parts()");
		return this.parts.get(0);
	}

}
