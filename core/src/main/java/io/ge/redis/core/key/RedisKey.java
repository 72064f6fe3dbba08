// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.key;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A complete Redis key, made by a {@link KeySpace}.
 * <p>
 * Keys derived with {@link #with(KeyPart...)} keep the hash tag and so the slot.
 */
public final class RedisKey {

	private final byte[] bytes;

	/** Computed on first use; 0 until then. */
	private int hash;

	RedisKey(byte[] bytes) {
		this.bytes = bytes;
	}

	/**
	 * Returns a key in the same slot: this key followed by {@code :part}.
	 */
	public RedisKey with(KeyPart part) {
		int length = this.bytes.length;
		byte[] derived = Arrays.copyOf(this.bytes, length + 1 + part.length());
		derived[length] = ':';
		part.write(derived, length + 1);
		return new RedisKey(derived);
	}

	/**
	 * Returns a key in the same slot: this key followed by {@code :part:part}.
	 */
	public RedisKey with(KeyPart... parts) {
		if (parts.length == 0) {
			throw new IllegalArgumentException("A derived key needs at least one part");
		}
		int length = this.bytes.length;
		byte[] derived = Arrays.copyOf(this.bytes, length + 1 + KeyPart.joinedLength(parts));
		derived[length] = ':';
		KeyPart.join(parts, derived, length + 1);
		return new RedisKey(derived);
	}

	/**
	 * Returns the key as the bytes that Redis sees.
	 * @return the UTF-8 bytes; not to be changed by the caller
	 */
	public byte[] bytes() {
		return this.bytes;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof RedisKey key && Arrays.equals(this.bytes, key.bytes);
	}

	@Override
	public int hashCode() {
		int known = this.hash;
		if (known == 0) {
			known = Arrays.hashCode(this.bytes);
			this.hash = known;
		}
		return known;
	}

	@Override
	public String toString() {
		return new String(this.bytes, StandardCharsets.UTF_8);
	}

}
