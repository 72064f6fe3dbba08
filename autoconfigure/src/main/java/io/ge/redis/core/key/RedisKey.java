/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.key;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * A complete Redis key, made by a {@link KeySpace}.
 * <p>
 * Keys derived with {@link #with(KeyPart...)} keep the hash tag and so the slot.
 */
public final class RedisKey {

	private final String text;

	/** Made when first asked for: most keys are only the beginning of others. */
	private volatile byte @Nullable [] bytes;

	RedisKey(String text) {
		this.text = text;
	}

	/**
	 * Returns a key in the same slot: this key followed by {@code :part:part}.
	 * @param parts the parts to append, at least one
	 * @return the derived key
	 */
	public RedisKey with(KeyPart... parts) {
		if (parts.length == 0) {
			throw new IllegalArgumentException("A derived key needs at least one part");
		}
		return new RedisKey(this.text + ':' + KeyPart.join(parts));
	}

	/**
	 * Returns the key as the bytes that Redis sees.
	 * @return the UTF-8 bytes; not to be changed by the caller
	 */
	public byte[] bytes() {
		byte[] known = this.bytes;
		if (known == null) {
			known = this.text.getBytes(StandardCharsets.UTF_8);
			this.bytes = known;
		}
		return known;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof RedisKey key && this.text.equals(key.text);
	}

	@Override
	public int hashCode() {
		return this.text.hashCode();
	}

	@Override
	public String toString() {
		return this.text;
	}

}
