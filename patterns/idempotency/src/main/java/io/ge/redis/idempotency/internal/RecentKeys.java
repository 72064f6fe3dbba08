// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * The keys of this instance that were claimed or refused last. Adding one never waits.
 */
final class RecentKeys {

	/** A power of two. */
	private static final int PLACES = 128;

	private final AtomicReferenceArray<@Nullable RedisIdempotencyKey> places = new AtomicReferenceArray<>(PLACES);

	private final AtomicInteger added = new AtomicInteger();

	void add(RedisIdempotencyKey key) {
		if (!key.equals(this.places.get(place(this.added.get() - 1)))) {
			this.places.set(place(this.added.getAndIncrement()), key);
		}
	}

	private static int place(int number) {
		return number & (PLACES - 1);
	}

	Collection<RedisIdempotencyKey> lastFirst() {
		LinkedHashSet<RedisIdempotencyKey> keys = new LinkedHashSet<>();
		int last = this.added.get() - 1;
		for (int i = 0; i < PLACES; i++) {
			RedisIdempotencyKey key = this.places.get(place(last - i));
			if (key != null) {
				keys.add(key);
			}
		}
		return keys;
	}

}
