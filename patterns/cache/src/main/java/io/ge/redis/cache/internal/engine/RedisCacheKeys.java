// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.List;
import java.util.function.Predicate;

import io.ge.redis.cache.internal.behind.RedisWriteBehind;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;

/**
 * Names the keys of entries. They are made once for each {@link CacheKey}, which
 * remembers them.
 */
public final class RedisCacheKeys {

	private static final KeyPart ENTRY = KeyPart.of("e1");

	private static final KeyPart WRITERS = KeyPart.of("w1");

	private static final KeyPart WAITERS = KeyPart.of("q1");

	private static final KeyPart REFRESH = KeyPart.of("r1");

	private final KeySpace space;

	private final Predicate<String> behind;

	/**
	 * Creates names.
	 * @param behind whether a cache is written behind; then its entries have the hash tag
	 * of their partition: {@code prefix:cache:{cache:p3}:key:e1}
	 */
	public RedisCacheKeys(KeySpace space, Predicate<String> behind) {
		this.space = space;
		this.behind = behind;
	}

	public List<RedisKey> of(CacheKey key) {
		Names known = key.names;
		if (known == null) {
			RedisKey entity = entity(key);
			known = new Names(
					List.of(entity.with(ENTRY), entity.with(WRITERS), entity.with(WAITERS), entity.with(REFRESH)));
			key.names = known;
		}
		return known.all();
	}

	/**
	 * Returns what the keys of an entry have in common, by which it is known on which
	 * node they are.
	 */
	public RedisKey entity(CacheKey key) {
		if (this.behind.test(key.cache())) {
			return RedisWriteBehind.partition(this.space, key.cache(), key.parts()).with(KeyText.parts(key.parts()));
		}
		KeyPart[] parts = new KeyPart[key.parts().size() + 1];
		parts[0] = KeyPart.of(key.cache());
		for (int i = 1; i < parts.length; i++) {
			parts[i] = KeyPart.of(key.parts().get(i - 1));
		}
		return this.space.entity(parts);
	}

	record Names(List<RedisKey> all) {
	}

}
