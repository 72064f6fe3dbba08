/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.NamedSettings;
import io.ge.redis.core.invocation.Settings;
import org.jspecify.annotations.Nullable;

/**
 * The caches of the application by name: what annotations say about each, which must not
 * contradict, and the settings that result.
 */
final class CacheDefinitions {

	private final Supplier<CacheProperties> properties;

	private final NamedSettings<String> types = new NamedSettings<>();

	private final NamedSettings<Duration> ttls = new NamedSettings<>();

	private final NamedSettings<Duration> negativeTtls = new NamedSettings<>();

	private final Map<String, CacheType> typeByCache = new ConcurrentHashMap<>();

	private final Map<String, Duration> ttlByCache = new ConcurrentHashMap<>();

	private final Map<String, Duration> negativeTtlByCache = new ConcurrentHashMap<>();

	private final Map<String, CacheSettings> settings = new ConcurrentHashMap<>();

	CacheDefinitions(Supplier<CacheProperties> properties) {
		this.properties = properties;
	}

	void declareType(String cache, CacheType type, GuardedMethod method) {
		this.types.register(cache, type.javaType().toCanonical(), method);
		this.typeByCache.putIfAbsent(cache, type);
	}

	void declareTtl(String cache, @Nullable Duration ttl, GuardedMethod method) {
		if (ttl != null) {
			if (ttl.toMillis() <= 0) {
				throw method.problem("ttl = \"" + ttl + "\" is too short.", "Give it at least a millisecond.");
			}
			this.ttls.register(cache, ttl, method);
			this.ttlByCache.put(cache, ttl);
			this.settings.clear();
		}
	}

	void declareNegativeTtl(String cache, @Nullable Duration ttl, GuardedMethod method) {
		if (ttl != null) {
			if (ttl.isNegative()) {
				throw method.problem("negativeTtl = \"" + ttl + "\" is negative.",
						"Use \"0s\" to not cache that there is no value.");
			}
			this.negativeTtls.register(cache, ttl, method);
			this.negativeTtlByCache.put(cache, ttl);
			this.settings.clear();
		}
	}

	/**
	 * Notes the type that code uses a cache with, for writers that do not say.
	 */
	void usedAs(String cache, CacheType type) {
		this.typeByCache.putIfAbsent(cache, type);
	}

	/**
	 * Returns the type that readers and writers of a cache have in common, if one is
	 * known.
	 */
	@Nullable CacheType type(String cache) {
		return this.typeByCache.get(cache);
	}

	CacheSettings settings(String cache) {
		CacheSettings known = this.settings.get(cache);
		if (known == null) {
			known = settings(cache, new Settings());
			this.settings.put(cache, known);
		}
		return known;
	}

	/**
	 * Merges the settings of a cache and records where each comes from.
	 */
	CacheSettings settings(String cache, Settings origins) {
		CacheProperties all = this.properties.get();
		CacheProperties.Cache named = all.cache(cache);
		return new CacheSettings(origins.pick("ttl", named.ttl(), this.ttlByCache.get(cache), all.ttl()),
				origins.pick("negativeTtl", named.negativeTtl(), this.negativeTtlByCache.get(cache), all.negativeTtl()),
				origins.pick("leaseTime", named.leaseTime(), null, all.leaseTime()),
				origins.pick("loadWait", named.loadWait(), null, all.loadWait()));
	}

}
