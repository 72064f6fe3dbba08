/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Caches in the environment.
 *
 * @param enabled whether methods with {@code @CacheAside} and {@code @CacheWriteThrough}
 * use the cache
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param consistency what writers do so that no old value stays
 * @param onRedisDown what becomes of a transaction whose change cannot be announced to
 * Redis before its commit; of effect where the consistency is intent
 * @param ttl time for which a value stays, at least a millisecond
 * @param negativeTtl time for which the absence of a value stays; zero to not cache it
 * @param leaseTime time within which a caller loads a value that is to be cached; after
 * it, another one may
 * @param loadWait longest time for which callers wait for a value that another one loads,
 * before they load it themselves
 * @param intentTimeout longest time between the announcement of a change, right before
 * its commit, and its publication; as long, readers go past the cache if a writer dies
 * @param maxStaleness longest time for which an instance may miss that entries were
 * invalidated by tags or all at once, if it was not told, or that a value in its memory
 * has changed
 * @param onLoadTimeout what callers get that have waited as long
 * @param earlyRefresh replacing values that are read before they expire
 * @param staleIfError time for which a value is kept beyond its expiry, for callers whose
 * loading fails; at most 30 days
 * @param ttlJitter share of its time by which a value stays shorter at random, so that
 * values of one moment do not expire together; at least 0 and less than 1
 * @param maxValueSize largest value that is stored, as it stands in Redis
 * @param compressAbove length of JSON above which a value is compressed
 * @param strictNames whether a cache must be listed, by its settings or in
 * {@code spring.cache.cache-names}, so that a misspelt name fails
 * @param near keeping values in the memory of each instance
 * @param caches caches by name, which win over the annotations
 * @param warmUp what {@code CacheWarmer} beans do when the application has started
 */
@ConfigurationProperties("ge.redis.cache")
public record CacheProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("intent") Consistency consistency, @DefaultValue("proceed") OnRedisDown onRedisDown,
		@DefaultValue("10m") Duration ttl, @DefaultValue("30s") Duration negativeTtl,
		@DefaultValue("5s") Duration leaseTime, @DefaultValue("3s") Duration loadWait,
		@DefaultValue("10s") Duration intentTimeout, @DefaultValue("2s") Duration maxStaleness,
		@DefaultValue("load") OnLoadTimeout onLoadTimeout, @DefaultValue EarlyRefresh earlyRefresh,
		@DefaultValue("0s") Duration staleIfError, @DefaultValue("0.1") double ttlJitter,
		@DefaultValue("1MB") DataSize maxValueSize, @DefaultValue("16KB") DataSize compressAbove,
		@DefaultValue("false") boolean strictNames, @DefaultValue Near near, @DefaultValue Map<String, Cache> caches,
		@DefaultValue WarmUp warmUp) {

	private static final String PREFIX = "ge.redis.cache.";

	private static final Duration MOST_STALE = Duration.ofDays(30);

	/** Less is over before it is confirmed that changes arrive. */
	private static final Duration LEAST_NEAR = Duration.ofSeconds(1);

	private static final Duration MOST_NEAR = Duration.ofDays(365);

	/** It takes less for a message to come back several times. */
	private static final Duration LEAST_STALENESS_NEAR = Duration.ofSeconds(1);

	public CacheProperties {
		check(PREFIX, ttl, negativeTtl, leaseTime, loadWait);
		checkReading(PREFIX, staleIfError, ttlJitter);
		requirePositive(PREFIX + "intent-timeout", intentTimeout);
		requirePositive(PREFIX + "max-staleness", maxStaleness);
		Assert.isTrue(maxValueSize.toBytes() > 0,
				() -> PREFIX + "max-value-size must be above zero, was " + maxValueSize);
		Assert.isTrue(!compressAbove.isNegative(),
				() -> PREFIX + "compress-above must not be negative, was " + compressAbove);
		requireSomethingStale(PREFIX, onLoadTimeout, staleIfError);
		Assert.isTrue(onRedisDown == OnRedisDown.PROCEED || consistency == Consistency.INTENT,
				() -> PREFIX + "on-redis-down=fail-tx needs " + PREFIX + "consistency=intent: with "
						+ consistency.name().toLowerCase(Locale.ROOT) + " nothing is asked of Redis before a commit");
		checkNear(PREFIX, near.enabled(), near.maxEntries(), near.ttl(), maxStaleness);
		caches.forEach((name, cache) -> {
			String prefix = PREFIX + "caches." + name + ".";
			if (cache.near != null) {
				checkNear(prefix, cache.near.enabled(), cache.near.maxEntries(), cache.near.ttl(), maxStaleness);
			}
			check(prefix, cache.ttl, cache.negativeTtl, cache.leaseTime, cache.loadWait);
			checkReading(prefix, cache.staleIfError, cache.ttlJitter);
			requireSomethingStale(prefix, (cache.onLoadTimeout != null) ? cache.onLoadTimeout : onLoadTimeout,
					(cache.staleIfError != null) ? cache.staleIfError : staleIfError);
			Assert.isTrue(cache.ttl == null || !Boolean.TRUE.equals(cache.permanent),
					() -> prefix + "permanent and " + prefix + "ttl exclude each other");
		});
	}

	private static void checkNear(String prefix, @Nullable Boolean enabled, @Nullable Integer maxEntries,
			@Nullable Duration ttl, Duration maxStaleness) {
		Assert.isTrue(maxEntries == null || maxEntries >= 0,
				() -> prefix + "near.max-entries must not be negative, was " + maxEntries);
		Assert.isTrue(ttl == null || (ttl.compareTo(LEAST_NEAR) >= 0 && ttl.compareTo(MOST_NEAR) <= 0),
				() -> prefix + "near.ttl must be at least 1s and at most 365d, was " + ttl);
		Assert.isTrue(!Boolean.TRUE.equals(enabled) || maxStaleness.compareTo(LEAST_STALENESS_NEAR) >= 0,
				() -> prefix + "near.enabled=true needs " + PREFIX + "max-staleness of at least 1s, was " + maxStaleness
						+ ": every 300ms it is confirmed that changes arrive, and values are served from memory only"
						+ " as long as that is no longer ago");
	}

	private static void check(String prefix, @Nullable Duration ttl, @Nullable Duration negativeTtl,
			@Nullable Duration leaseTime, @Nullable Duration loadWait) {
		requirePositive(prefix + "ttl", ttl);
		requirePositive(prefix + "lease-time", leaseTime);
		requireNotNegative(prefix + "negative-ttl", negativeTtl);
		requireNotNegative(prefix + "load-wait", loadWait);
	}

	private static void checkReading(String prefix, @Nullable Duration staleIfError, @Nullable Double ttlJitter) {
		requireNotNegative(prefix + "stale-if-error", staleIfError);
		Assert.isTrue(staleIfError == null || staleIfError.compareTo(MOST_STALE) <= 0,
				() -> prefix + "stale-if-error must be at most 30 days, was " + staleIfError);
		Assert.isTrue(ttlJitter == null || (ttlJitter >= 0 && ttlJitter < 1),
				() -> prefix + "ttl-jitter must be at least 0 and less than 1, was " + ttlJitter);
	}

	private static void requireSomethingStale(String prefix, OnLoadTimeout onLoadTimeout, Duration staleIfError) {
		Assert.isTrue(onLoadTimeout != OnLoadTimeout.STALE || staleIfError.toMillis() > 0,
				() -> prefix + "on-load-timeout=stale finds no value that has expired: say for how long they are kept,"
						+ " with " + prefix + "stale-if-error");
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
	 * @param consistency what writers do so that no old value stays
	 * @param ttl time for which a value stays
	 * @param negativeTtl time for which the absence of a value stays; zero to not cache
	 * it
	 * @param leaseTime time within which a caller loads a value that is to be cached
	 * @param loadWait longest time for which callers wait for a value that another one
	 * loads
	 * @param permanent whether a value stays until it is replaced or removed, without a
	 * TTL
	 * @param onLoadTimeout what callers get that have waited as long
	 * @param earlyRefresh replacing values that are read before they expire
	 * @param staleIfError time for which a value is kept beyond its expiry, for callers
	 * whose loading fails; at most 30 days
	 * @param ttlJitter share of its time by which a value stays shorter at random
	 * @param writeBehind whether the cache is written behind although this application
	 * has no store for it, because another one has; with a {@code WriteBehindStore} bean
	 * it is in any case
	 * @param near keeping values in the memory of each instance
	 * @param type type of the values, for code that does not say it: the full name of a
	 * class, or of a generic one with its arguments, such as
	 * {@code java.util.List<com.acme.Product>}
	 */
	public record Cache(@Nullable Consistency consistency, @Nullable Duration ttl, @Nullable Duration negativeTtl,
			@Nullable Duration leaseTime, @Nullable Duration loadWait, @Nullable Boolean permanent,
			@Nullable OnLoadTimeout onLoadTimeout, @Nullable CacheEarlyRefresh earlyRefresh,
			@Nullable Duration staleIfError, @Nullable Double ttlJitter, @DefaultValue("false") boolean writeBehind,
			@Nullable CacheNear near, @Nullable String type) {

		public static final Cache UNSET = new Cache(null, null, null, null, null, null, null, null, null, null, false,
				null, null);

		public @Nullable EarlyRefreshMode earlyRefreshMode() {
			return (this.earlyRefresh != null) ? this.earlyRefresh.mode() : null;
		}

	}

	/**
	 * Keeping values in the memory of each instance, beside Redis.
	 *
	 * @param enabled whether values are kept in memory, and all instances told of every
	 * change; all instances must agree on it
	 * @param maxEntries how many values of a cache an instance keeps at most; zero for an
	 * instance that keeps none and tells the others
	 * @param ttl longest time for which a value is served from memory; at least a second,
	 * at most 365 days
	 */
	public record Near(@DefaultValue("false") boolean enabled, @DefaultValue("10000") int maxEntries,
			@DefaultValue("60s") Duration ttl) {

	}

	/**
	 * Keeping values of one cache in the memory of each instance.
	 *
	 * @param enabled whether values are kept in memory, and all instances told of every
	 * change; all instances must agree on it
	 * @param maxEntries how many values an instance keeps at most; zero for an instance
	 * that keeps none and tells the others
	 * @param ttl longest time for which a value is served from memory; at least a second,
	 * at most 365 days
	 */
	public record CacheNear(@Nullable Boolean enabled, @Nullable Integer maxEntries, @Nullable Duration ttl) {

		public static final CacheNear UNSET = new CacheNear(null, null, null);

	}

	/**
	 * Replacing values before they expire.
	 *
	 * @param mode how to decide that a value is replaced
	 * @param beta inclination to begin early, above zero: twice as much, and the time
	 * before the expiry at which a value is replaced is twice as long on average
	 * @param threads most values that an instance loads at a time to replace others
	 */
	public record EarlyRefresh(@DefaultValue("xfetch") EarlyRefreshMode mode, @DefaultValue("1.0") double beta,
			@DefaultValue("4") int threads) {

		public EarlyRefresh {
			Assert.isTrue(beta > 0, () -> PREFIX + "early-refresh.beta must be above zero, was " + beta);
			Assert.isTrue(threads > 0, () -> PREFIX + "early-refresh.threads must be above zero, was " + threads);
		}

	}

	/**
	 * Replacing values of one cache before they expire.
	 *
	 * @param mode how to decide that a value is replaced
	 */
	public record CacheEarlyRefresh(@Nullable EarlyRefreshMode mode) {
	}

	/**
	 * How it is decided that a value is replaced before it expires.
	 */
	public enum EarlyRefreshMode {

		/**
		 * A caller that reads it is chosen at random, the likelier the nearer the expiry
		 * is, in units of the time that the value took to load.
		 */
		XFETCH,

		/** Never. */
		OFF

	}

	/**
	 * Warm-up.
	 *
	 * @param enabled whether {@code CacheWarmer} beans run
	 * @param readiness whether the application waits for them before it accepts traffic
	 * @param timeout longest time for which it waits
	 * @param rate most keys that are read in a second, by all instances together
	 * @param leaseTime time after which another instance takes over from one that has
	 * died
	 * @param validFor time for which instances that start do not repeat a warm-up that is
	 * done
	 */
	public record WarmUp(@DefaultValue("true") boolean enabled, @DefaultValue("ignore") Readiness readiness,
			@DefaultValue("5m") Duration timeout, @DefaultValue("500") int rate,
			@DefaultValue("10s") Duration leaseTime, @DefaultValue("10m") Duration validFor) {

		public WarmUp {
			requirePositive("ge.redis.cache.warm-up.timeout", timeout);
			requirePositive("ge.redis.cache.warm-up.lease-time", leaseTime);
			requirePositive("ge.redis.cache.warm-up.valid-for", validFor);
			Assert.isTrue(rate > 0, () -> "ge.redis.cache.warm-up.rate must be at least 1, was " + rate);
		}

	}

	/**
	 * Whether an application waits for the warm-up.
	 */
	public enum Readiness {

		/** It accepts traffic at once. */
		IGNORE,

		/**
		 * It accepts traffic when the warm-up is over, be it failed, or takes too long.
		 */
		WAIT,

		/**
		 * As {@link #WAIT}, and it does not start if a warm-up fails or takes too long.
		 */
		REQUIRE

	}

	public Cache cache(String name) {
		return this.caches.getOrDefault(name, Cache.UNSET);
	}

}
