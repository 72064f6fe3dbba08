// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.cache.CacheProperties;
import io.ge.redis.cache.CacheProperties.Near;
import io.ge.redis.core.invocation.Settings;

/**
 * Which caches are kept in memory, and how, as the properties say: no annotation does.
 */
public final class NearDefinitions {

	private final Supplier<CacheProperties> properties;

	NearDefinitions(Supplier<CacheProperties> properties) {
		this.properties = properties;
	}

	public Near settings(String cache, Settings origins) {
		Near all = this.properties.get().near();
		CacheProperties.CacheNear set = this.properties.get().cache(cache).near();
		CacheProperties.CacheNear named = (set != null) ? set : CacheProperties.CacheNear.UNSET;
		boolean enabled = origins.pick("near", named.enabled(), null, all.enabled());
		Settings details = enabled ? origins : new Settings();
		return new Near(enabled, details.pick("nearMaxEntries", named.maxEntries(), null, all.maxEntries()),
				details.pick("nearTtl", named.ttl(), null, all.ttl()));
	}

	public boolean isNear(String cache) {
		// Asked for by every write: origins are of no interest
		CacheProperties.CacheNear set = this.properties.get().cache(cache).near();
		Boolean named = (set != null) ? set.enabled() : null;
		return (named != null) ? named : this.properties.get().near().enabled();
	}

	/**
	 * Returns whether this instance keeps values of a cache in memory, be it one that no
	 * property names.
	 */
	public boolean isAnyKept() {
		return isAny(Near::isKeeping);
	}

	/**
	 * Returns whether some instance may keep values of a cache in memory, be it one that
	 * no property names.
	 */
	public boolean isAnyNear() {
		return isAny(Near::enabled);
	}

	private boolean isAny(Predicate<Near> such) {
		Set<String> names = new TreeSet<>(this.properties.get().caches().keySet());
		names.add("");
		return names.stream().anyMatch((cache) -> such.test(settings(cache, new Settings())));
	}

	/**
	 * Checks that what keeps values in memory is there.
	 * @param available whether it is
	 */
	public void verify(boolean available) {
		if (!available && isAnyKept()) {
			throw new GuardConfigurationException("ge.redis.cache.near",
					"values of caches are to be kept in memory, but Caffeine is not on the class path.",
					"Add the dependency com.github.ben-manes.caffeine:caffeine, whose version Spring Boot manages,"
							+ " or set max-entries to 0 where an instance keeps none and only notifies the others.");
		}
	}

}
