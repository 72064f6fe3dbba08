// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.util.Assert;

/**
 * All caches in the eyes of Spring. There is one for each name that is asked for, unless
 * {@code ge.redis.cache.strict-names} is on.
 */
public final class SpringCacheManager implements CacheManager {

	private final CacheRegistry definitions;

	private final Supplier<SpringCache.Parts> parts;

	private final Map<String, SpringCache> caches = new ConcurrentHashMap<>();

	private volatile @Nullable Consumer<SpringCache> listener;

	public SpringCacheManager(CacheRegistry definitions, Supplier<SpringCache.Parts> parts) {
		this.definitions = definitions;
		this.parts = parts;
	}

	/**
	 * Returns a cache. Redis is not asked for it.
	 * @param name the cache's name
	 * @return the cache
	 * @throws io.ge.redis.GuardConfigurationException if the name is not listed and names
	 * are strict
	 */
	@Override
	public Cache getCache(String name) {
		SpringCache known = this.caches.get(name);
		if (known != null) {
			return known;
		}
		Assert.hasText(name, "A cache must have a name");
		this.definitions.requireAllowed(name);
		SpringCache made = new SpringCache(name, this.parts);
		SpringCache other = this.caches.putIfAbsent(name, made);
		if (other != null) {
			return other;
		}
		Consumer<SpringCache> notified = this.listener;
		if (notified != null) {
			notified.accept(made);
		}
		return made;
	}

	/**
	 * Returns the names that annotations and properties know, or that were used so far.
	 */
	@Override
	public Collection<String> getCacheNames() {
		Set<String> names = this.definitions.listedNames();
		Set<String> used = this.definitions.names();
		used.addAll(this.caches.keySet());
		for (String name : used) {
			if (this.definitions.isAllowed(name)) {
				names.add(name);
			}
		}
		return names;
	}

	/**
	 * Calls a listener with every cache that was asked for, and with further ones when
	 * they are.
	 * @param newListener gets a cache, perhaps twice the same one
	 */
	public void onCache(Consumer<SpringCache> newListener) {
		this.listener = newListener;
		this.caches.values().forEach(newListener);
	}

}
