/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Caches in the environment.
 *
 * @param enabled whether methods with {@code @CacheAside} and {@code @CacheWriteThrough}
 * use the cache
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param ttl time for which a value stays, at least a millisecond
 * @param negativeTtl time for which the absence of a value stays; zero to not cache it
 * @param leaseTime time within which a caller loads a value that is to be cached; after
 * it, another one may
 * @param loadWait longest time for which callers wait for a value that another one loads,
 * before they load it themselves
 * @param intentTimeout longest time between the announcement of a change, right before
 * its commit, and its publication; as long, readers go past the cache if a writer dies
 * @param caches caches by name, which win over the annotations
 */
@ConfigurationProperties("ge.redis.cache")
public record CacheProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("10m") Duration ttl, @DefaultValue("30s") Duration negativeTtl,
		@DefaultValue("5s") Duration leaseTime, @DefaultValue("3s") Duration loadWait,
		@DefaultValue("10s") Duration intentTimeout, @DefaultValue Map<String, Cache> caches) {

	public CacheProperties {
		check("ge.redis.cache.", ttl, negativeTtl, leaseTime, loadWait);
		requirePositive("ge.redis.cache.intent-timeout", intentTimeout);
		caches.forEach((name, cache) -> check("ge.redis.cache.caches." + name + ".", cache.ttl, cache.negativeTtl,
				cache.leaseTime, cache.loadWait));
	}

	private static void check(String prefix, @Nullable Duration ttl, @Nullable Duration negativeTtl,
			@Nullable Duration leaseTime, @Nullable Duration loadWait) {
		requirePositive(prefix + "ttl", ttl);
		requirePositive(prefix + "lease-time", leaseTime);
		requireNotNegative(prefix + "negative-ttl", negativeTtl);
		requireNotNegative(prefix + "load-wait", loadWait);
	}

	private static void requirePositive(String name, @Nullable Duration value) {
		Assert.isTrue(value == null || value.toMillis() > 0, () -> name + " must be at least 1ms, was " + value);
	}

	private static void requireNotNegative(String name, @Nullable Duration value) {
		Assert.isTrue(value == null || !value.isNegative(), () -> name + " must not be negative, was " + value);
	}

	/**
	 * One cache. What is not set is taken from the annotations, else from
	 * {@code ge.redis.cache}.
	 *
	 * @param ttl time for which a value stays
	 * @param negativeTtl time for which the absence of a value stays; zero to not cache
	 * it
	 * @param leaseTime time within which a caller loads a value that is to be cached
	 * @param loadWait longest time for which callers wait for a value that another one
	 * loads
	 */
	public record Cache(@Nullable Duration ttl, @Nullable Duration negativeTtl, @Nullable Duration leaseTime,
			@Nullable Duration loadWait) {

		static final Cache UNSET = new Cache(null, null, null, null);

	}

	Cache cache(String name) {
		return this.caches.getOrDefault(name, Cache.UNSET);
	}

}
