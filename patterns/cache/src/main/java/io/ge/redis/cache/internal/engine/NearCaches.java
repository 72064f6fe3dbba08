// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.ge.redis.cache.CacheProperties.Near;
import org.jspecify.annotations.Nullable;

/**
 * The caches whose values this instance keeps in memory, each made when it is used first.
 */
public final class NearCaches {

	private final boolean any;

	private final Function<String, Near> settings;

	private final Function<Near, NearStore> stores;

	private final NearFeed feed;

	private final Duration sure;

	private final Executor soon;

	private final Map<String, Optional<NearCache>> places = new ConcurrentHashMap<>();

	/**
	 * Creates the caches.
	 * @param any whether there can be one
	 * @param sure the time that a value is served although messages may get lost without
	 * a sign
	 */
	public NearCaches(boolean any, Function<String, Near> settings, Function<Near, NearStore> stores, NearFeed feed,
			Duration sure, Executor soon) {
		this.any = any;
		this.settings = settings;
		this.stores = stores;
		this.feed = feed;
		this.sure = sure;
		this.soon = soon;
	}

	/**
	 * Returns the memory of a cache.
	 * @return the memory, or {@code null} if its values are not kept
	 */
	public @Nullable NearCache of(String cache) {
		if (!this.any) {
			return null;
		}
		Optional<NearCache> known = this.places.get(cache);
		if (known == null) {
			Optional<NearCache> made = newCache(cache);
			Optional<NearCache> other = this.places.putIfAbsent(cache, made);
			known = (other != null) ? other : made;
		}
		return known.orElse(null);
	}

	private Optional<NearCache> newCache(String cache) {
		Near chosen = this.settings.apply(cache);
		return chosen.isKeeping()
				? Optional.of(new NearCache(cache, this.stores.apply(chosen), this.feed, chosen.ttl(), this.sure))
				: Optional.empty();
	}

	/**
	 * Returns since when changes may be known without a gap.
	 */
	public long since() {
		return this.feed.since();
	}

	/**
	 * Drops the value of a changed entry from memory, also one that is being loaded.
	 */
	public void drop(CacheKey key) {
		NearCache near = known(key.cache());
		if (near != null) {
			near.drop(key);
		}
	}

	/**
	 * Changes may be missed, or may have been: nothing that is in memory, or on its way
	 * there, is ever served.
	 */
	public void dropAll() {
		this.feed.interrupted();
		this.soon.execute(() -> this.places.values().forEach((near) -> near.ifPresent(NearCache::clear)));
	}

	/**
	 * Returns about how many values of a cache are in memory.
	 * @return the number, or {@code null} if none are kept
	 */
	public @Nullable Long size(String cache) {
		NearCache near = known(cache);
		return (near != null) ? Long.valueOf(near.size()) : null;
	}

	private @Nullable NearCache known(String cache) {
		return this.places.getOrDefault(cache, Optional.empty()).orElse(null);
	}

}
