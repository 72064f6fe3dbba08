// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.ratelimit.RateLimit;
import io.ge.redis.ratelimit.RateLimitAlgorithm;

/**
 * Makes the keys of limits, and caches the latest: a denial from memory takes less time
 * than composing the text of a key.
 * <p>
 * A key is {@code prefix:ratelimit:{key}:name:format}. A limit for all callers has its
 * name as the entity and the empty part as the name.
 */
final class RedisLimitKeys {

	static final int REMEMBERED = 8192;

	/** Set associativity: with one slot for each hash, keys would evict each other. */
	private static final int WAYS = 4;

	/** Longer keys are not worth the memory. */
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

	static byte[] kindOf(RateLimit limit) {
		return KINDS[limit.algorithm().ordinal()];
	}

	RedisLimitKey of(RateLimit limit, List<String> parts) {
		int hash = 31 * limit.name().hashCode() + parts.hashCode();
		int first = first(hash);
		for (int i = first; i < first + WAYS; i++) {
			RedisLimitKey known = this.remembered.getAcquire(i);
			if (known != null && known.isOf(hash, limit, parts)) {
				return known;
			}
		}
		RedisLimitKey made = new RedisLimitKey(hash, limit, parts, make(limit, parts));
		if (isShort(parts)) {
			remember(made, first);
		}
		return made;
	}

	// The oldest makes room; of two threads at once one may be forgotten
	private void remember(RedisLimitKey key, int first) {
		RedisLimitKey moved = key;
		for (int i = first; i < first + WAYS && moved != null; i++) {
			moved = this.remembered.getAndSet(i, moved);
		}
	}

	private static int first(int hash) {
		return ((hash * 0x9E3779B9) >>> 16) % (REMEMBERED / WAYS) * WAYS;
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
