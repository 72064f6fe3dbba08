// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Scheduler;
import io.ge.redis.cache.CacheProperties.Near;
import org.jspecify.annotations.Nullable;

/**
 * Memory by Caffeine. No other class may touch it, since applications need not have it.
 * <p>
 * Expired values are dropped to free their memory. The reader of a value decides until
 * when it may be served.
 */
public final class CaffeineNearStore implements NearStore {

	/** A class that is present if the application has Caffeine. */
	public static final String DEPENDENCY = "com.github.benmanes.caffeine.cache.Caffeine";

	private final Cache<CacheKey, Slot> slots;

	public CaffeineNearStore(Near settings) {
		this.slots = Caffeine.newBuilder()
			.maximumSize(settings.maxEntries())
			.expireAfterWrite(settings.ttl())
			.scheduler(Scheduler.systemScheduler())
			.build();
	}

	@Override
	public @Nullable Slot get(CacheKey key) {
		return this.slots.getIfPresent(key);
	}

	@Override
	public NearToken begin(NearToken token) {
		return this.slots.asMap()
			.compute(token.key(), (key, before) -> (before instanceof NearToken) ? before : token)
			.token();
	}

	@Override
	public void replace(NearToken token, NearValue value) {
		this.slots.asMap().computeIfPresent(token.key(), (key, slot) -> token.mayReplace(slot) ? value : slot);
	}

	@Override
	public void remove(NearToken token) {
		this.slots.asMap().remove(token.key(), token);
	}

	@Override
	public void remove(CacheKey key) {
		this.slots.invalidate(key);
	}

	@Override
	public void clear() {
		this.slots.invalidateAll();
	}

	@Override
	public long size() {
		return this.slots.estimatedSize();
	}

}
