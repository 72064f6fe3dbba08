/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;

/**
 * Makes the keys of limits, and remembers those used lately, since a denial from memory
 * takes less time than putting together the text of a key.
 * <p>
 * A key is {@code prefix:ratelimit:{key}:name:format}. A limit for all callers has its
 * name as the entity and the empty part as the name.
 */
final class RedisLimitKeys {

	private static final int REMEMBERED = 8192;

	/** What is longer is not worth the memory. */
	private static final int LONGEST = 200;

	private static final KeyPart NONE = KeyPart.of("");

	private static final KeyPart[] FORMATS = new KeyPart[RateLimitAlgorithm.values().length];

	private static final byte[][] KINDS = new byte[FORMATS.length][];

	static {
		for (RateLimitAlgorithm algorithm : RateLimitAlgorithm.values()) {
			String kind = kind(algorithm);
			KINDS[algorithm.ordinal()] = new byte[] { (byte) kind.charAt(0) };
			FORMATS[algorithm.ordinal()] = KeyPart.of(kind + "1");
		}
	}

	private final KeySpace keys;

	private final AtomicReferenceArray<RedisLimitKey> remembered = new AtomicReferenceArray<>(REMEMBERED);

	RedisLimitKeys(KeySpace keys) {
		this.keys = keys;
	}

	private static String kind(RateLimitAlgorithm algorithm) {
		return switch (algorithm) {
			case SLIDING_WINDOW -> "w";
			case SLIDING_WINDOW_COUNTER -> "c";
			case TOKEN_BUCKET -> "b";
			case FIXED_WINDOW -> "f";
		};
	}

	/**
	 * Returns how the scripts call an algorithm.
	 */
	static byte[] kindOf(RateLimit limit) {
		return KINDS[limit.algorithm().ordinal()];
	}

	RedisLimitKey of(Demand demand) {
		RateLimit limit = demand.limit();
		List<String> parts = demand.key();
		int place = place(limit, parts);
		RedisLimitKey known = this.remembered.getAcquire(place);
		if (known != null && known.isOf(limit, parts)) {
			return known;
		}
		RedisLimitKey made = new RedisLimitKey(limit, parts, make(limit, parts));
		if (isShort(parts)) {
			this.remembered.setRelease(place, made);
		}
		return made;
	}

	private static int place(RateLimit limit, List<String> parts) {
		int hash = 31 * limit.name().hashCode() + parts.hashCode();
		return (hash ^ (hash >>> 15)) & (REMEMBERED - 1);
	}

	private static boolean isShort(List<String> parts) {
		int length = 0;
		for (String part : parts) {
			length += part.length();
		}
		return length <= LONGEST;
	}

	private RedisKey make(RateLimit limit, List<String> parts) {
		KeyPart name = KeyPart.of(limit.name());
		KeyPart format = FORMATS[limit.algorithm().ordinal()];
		return parts.isEmpty() ? this.keys.entity(name).with(NONE, format)
				: this.keys.entity(KeyText.parts(parts)).with(name, format);
	}

}
