// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.key;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The keys of one pattern: {@code prefix:pattern:{entity}}.
 * <p>
 * The entity in braces is the Redis Cluster hash tag, so that every key derived from one
 * entity lives in one slot. The parts of an entity and of a suffix are user text.
 * Whatever they contain, they can neither close the braces nor reach into a neighbouring
 * part. Two different lists of parts never give the same key (see {@link KeyPart}).
 */
public final class KeySpace {

	/** Prefix and pattern, with colons and the brace that opens the entity. */
	private final byte[] head;

	/**
	 * Creates the key space of a pattern.
	 * @param prefix the application's prefix, {@code ge.redis.key-prefix}; without braces
	 * or white space, since a brace would move the hash tag
	 * @throws IllegalArgumentException if prefix or pattern is empty or holds a brace or
	 * white space
	 */
	public KeySpace(String prefix, String pattern) {
		String text = requirePlain("key prefix", prefix) + ":" + requirePlain("pattern", pattern) + ":{";
		this.head = text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Returns the key of an entity.
	 * @param parts the parts that name the entity, at least one
	 * @return the key {@code prefix:pattern:{part:part}}
	 */
	public RedisKey entity(KeyPart... parts) {
		if (parts.length == 0) {
			throw new IllegalArgumentException("An entity needs at least one part");
		}
		byte[] key = Arrays.copyOf(this.head, this.head.length + KeyPart.joinedLength(parts) + 1);
		KeyPart.join(parts, key, this.head.length);
		key[key.length - 1] = '}';
		return new RedisKey(key);
	}

	/**
	 * Returns a key that this key space made, from its text, as it comes back from Redis.
	 * @throws IllegalArgumentException if it is no key of this space
	 */
	public RedisKey restore(String text) {
		byte[] key = text.getBytes(StandardCharsets.UTF_8);
		int start = this.head.length;
		if (key.length < start || !Arrays.equals(key, 0, start, this.head, 0, start) || text.indexOf('}') < 0) {
			throw new IllegalArgumentException(
					"'" + text + "' is no key of " + new String(this.head, StandardCharsets.UTF_8));
		}
		return new RedisKey(key);
	}

	/**
	 * Returns a key that an application shares with other programs, outside of any key
	 * space.
	 * @param text the key
	 */
	public static RedisKey shared(String text) {
		return new RedisKey(text.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns whether a text can be a prefix: not empty, without braces, white space and
	 * control characters.
	 */
	public static boolean isPlain(String text) {
		return !text.isEmpty() && text.chars()
			.noneMatch((c) -> c == '{' || c == '}' || Character.isWhitespace(c) || Character.isSpaceChar(c)
					|| Character.isISOControl(c));
	}

	private static String requirePlain(String what, String text) {
		if (!isPlain(text)) {
			throw new IllegalArgumentException("The " + what + " '" + text
					+ "' must not be empty or contain braces, white space or control characters");
		}
		return text;
	}

}
