// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.time.Duration;
import java.util.Map;

import io.ge.redis.core.invocation.PropertyChecks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;
import org.springframework.util.unit.DataSize;

/**
 * Caches in the environment.
 *
 * @param enabled whether methods with `@CacheAside` and `@CacheWriteThrough` use the
 * cache
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param onRedisDown outcome of a transaction whose change cannot be announced to Redis
 * before the commit
 * @param ttl time to live of a value; at least 1 ms
 * @param negativeTtl time to live of a cached absence; zero to not cache absences
 * @param leaseTime time within which a caller must load and store a value; after it
 * another caller may load
 * @param loadWait longest time that callers wait for a value that another caller loads;
 * then they load it themselves
 * @param intentTimeout longest time between the announcement of a change and its
 * publication after the commit; if the writer dies, readers bypass the cache for this
 * time
 * @param maxStaleness longest time for which an instance that missed an invalidation may
 * serve the old value: by tags, of a whole cache, or of a value in its memory
 * @param onLoadTimeout what callers get that have waited for load-wait
 * @param earlyRefresh replacing values that are read before they expire
 * @param staleIfError time for which a value is kept beyond its expiry and served if
 * loading fails; at most 30 days
 * @param ttlJitter random share by which the time to live of a value is shortened, so
 * that values do not expire together; at least 0 and less than 1
 * @param maxValueSize largest stored value, measured as stored in Redis
 * @param compressAbove size of the JSON above which a value is compressed
 * @param strictNames whether a cache must be configured here or listed in
 * `spring.cache.cache-names`, so that a misspelt name fails
 * @param near keeping values in the memory of each instance
 * @param caches caches by name; their settings take precedence over the annotations
 * @param warmUp what {@code CacheWarmer} beans do when the application has started
 */
@ConfigurationProperties("ge.redis.cache")
public record CacheProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue("proceed") OnRedisDown onRedisDown, @DefaultValue("10m") Duration ttl,
		@DefaultValue("30s") Duration negativeTtl, @DefaultValue("5s") Duration leaseTime,
		@DefaultValue("3s") Duration loadWait, @DefaultValue("10s") Duration intentTimeout,
		@DefaultValue("2s") Duration maxStaleness, @DefaultValue("load") OnLoadTimeout onLoadTimeout,
		@DefaultValue EarlyRefresh earlyRefresh, @DefaultValue("0s") Duration staleIfError,
		@DefaultValue("0.1") double ttlJitter, @DefaultValue("1MB") DataSize maxValueSize,
		@DefaultValue("16KB") DataSize compressAbove, @DefaultValue("false") boolean strictNames,
		@DefaultValue Near near, @DefaultValue Map<String, Cache> caches, @DefaultValue WarmUp warmUp) {

	private static final String PREFIX = "ge.redis.cache.";

	private static final Duration MOST_STALE = Duration.ofDays(30);

	/** Less is over before it is confirmed that changes arrive. */
	private static final Duration LEAST_NEAR = Duration.ofSeconds(1);

	private static final Duration MOST_NEAR = Duration.ofDays(365);

	/** It takes less for a message to come back several times. */
	private static final Duration LEAST_STALENESS_NEAR = Duration.ofSeconds(1);

	public CacheProperties {
		check(PREFIX, ttl, negativeTtl, leaseTime, loadWait, staleIfError, ttlJitter);
		PropertyChecks.atLeastMillis(PREFIX + "intent-timeout", 1, intentTimeout);
		PropertyChecks.atLeastMillis(PREFIX + "max-staleness", 1, maxStaleness);
		PropertyChecks.atLeast(PREFIX + "max-value-size", 1, maxValueSize.toBytes());
		PropertyChecks.atLeast(PREFIX + "compress-above", 0, compressAbove.toBytes());
		requireSomethingStale(PREFIX, onLoadTimeout, staleIfError);
		checkNear(PREFIX, near.enabled(), near.maxEntries(), near.ttl(), maxStaleness);
		caches.forEach((name, cache) -> {
			String prefix = PREFIX + "caches." + name + ".";
			if (cache.near != null) {
				checkNear(prefix, cache.near.enabled(), cache.near.maxEntries(), cache.near.ttl(), maxStaleness);
			}
			check(prefix, cache.ttl, cache.negativeTtl, cache.leaseTime, cache.loadWait, cache.staleIfError,
					cache.ttlJitter);
			requireSomethingStale(prefix, (cache.onLoadTimeout != null) ? cache.onLoadTimeout : onLoadTimeout,
					(cache.staleIfError != null) ? cache.staleIfError : staleIfError);
			Assert.isTrue(cache.ttl == null || !Boolean.TRUE.equals(cache.permanent),
					() -> prefix + "permanent and " + prefix + "ttl exclude each other");
		});
	}

	private static void checkNear(String prefix, @Nullable Boolean enabled, @Nullable Integer maxEntries,
			@Nullable Duration ttl, Duration maxStaleness) {
		PropertyChecks.atLeast(prefix + "near.max-entries", 0, maxEntries);
		Assert.isTrue(ttl == null || (ttl.compareTo(LEAST_NEAR) >= 0 && ttl.compareTo(MOST_NEAR) <= 0),
				() -> prefix + "near.ttl must be at least 1s and at most 365d, was " + ttl);
		Assert.isTrue(!Boolean.TRUE.equals(enabled) || maxStaleness.compareTo(LEAST_STALENESS_NEAR) >= 0,
				() -> prefix + "near.enabled=true needs " + PREFIX + "max-staleness of at least 1s, was " + maxStaleness
						+ ": every 300ms it is confirmed that changes arrive, and values are served from memory only"
						+ " as long as that is no longer ago");
	}

	private static void check(String prefix, @Nullable Duration ttl, @Nullable Duration negativeTtl,
			@Nullable Duration leaseTime, @Nullable Duration loadWait, @Nullable Duration staleIfError,
			@Nullable Double ttlJitter) {
		PropertyChecks.atLeastMillis(prefix + "ttl", 1, ttl);
		PropertyChecks.atLeastMillis(prefix + "lease-time", 1, leaseTime);
		PropertyChecks.atLeastMillis(prefix + "negative-ttl", 0, negativeTtl);
		PropertyChecks.atLeastMillis(prefix + "load-wait", 0, loadWait);
		PropertyChecks.atLeastMillis(prefix + "stale-if-error", 0, staleIfError);
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

	/**
	 * One cache. Settings that are not set come from the annotations, else from
	 * {@code ge.redis.cache}.
	 *
	 * @param ttl time to live of a value
	 * @param negativeTtl time to live of a cached absence; zero to not cache absences
	 * @param leaseTime time within which a caller must load and store a value
	 * @param loadWait longest time that callers wait for a value that another caller
	 * loads
	 * @param permanent whether values have no time to live and stay until they are
	 * replaced or removed
	 * @param onLoadTimeout what callers get that have waited for load-wait
	 * @param earlyRefresh replacing values that are read before they expire
	 * @param staleIfError time for which a value is kept beyond its expiry and served if
	 * loading fails; at most 30 days
	 * @param ttlJitter random share by which the time to live of a value is shortened
	 * @param writeBehind whether the cache is written behind although the
	 * `WriteBehindStore` bean is in another application; with such a bean in this one it
	 * always is
	 * @param near keeping values in the memory of each instance
	 * @param type type of the values, for code that does not declare it: the full name of
	 * a class, or of a generic class with its arguments, such as {@code
	 * java.util.List<com.acme.Product>}
	 */
	public record Cache(@Nullable Duration ttl, @Nullable Duration negativeTtl, @Nullable Duration leaseTime,
			@Nullable Duration loadWait, @Nullable Boolean permanent, @Nullable OnLoadTimeout onLoadTimeout,
			@Nullable CacheEarlyRefresh earlyRefresh, @Nullable Duration staleIfError, @Nullable Double ttlJitter,
			@DefaultValue("false") boolean writeBehind, @Nullable CacheNear near, @Nullable String type) {

		public static final Cache UNSET = new Cache(null, null, null, null, null, null, null, null, null, false, null,
				null);

		public @Nullable EarlyRefreshMode earlyRefreshMode() {
			return (this.earlyRefresh != null) ? this.earlyRefresh.mode() : null;
		}

	}

	/**
	 * Keeping values in the memory of each instance, beside Redis.
	 *
	 * @param enabled whether values are also kept in the memory of each instance; all
	 * instances must agree
	 * @param maxEntries largest number of values of a cache in the memory of an instance;
	 * zero for an instance that keeps none but publishes its changes
	 * @param ttl longest time for which a value is served from memory; from 1 s to 365
	 * days
	 */
	public record Near(@DefaultValue("false") boolean enabled, @DefaultValue("10000") int maxEntries,
			@DefaultValue("60s") Duration ttl) {

		/**
		 * Returns whether this instance keeps values in memory.
		 */
		public boolean isKeeping() {
			return this.enabled && this.maxEntries > 0;
		}

	}

	/**
	 * Keeping values of one cache in the memory of each instance.
	 *
	 * @param enabled whether values are also kept in the memory of each instance; all
	 * instances must agree
	 * @param maxEntries largest number of values of a cache in the memory of an instance;
	 * zero for an instance that keeps none but publishes its changes
	 * @param ttl longest time for which a value is served from memory; from 1 s to 365
	 * days
	 */
	public record CacheNear(@Nullable Boolean enabled, @Nullable Integer maxEntries, @Nullable Duration ttl) {

		public static final CacheNear UNSET = new CacheNear(null, null, null);

	}

	/**
	 * Replacing values before they expire.
	 *
	 * @param mode rule by which a value is replaced before it expires
	 * @param beta eagerness of the early refresh, above zero: twice the value doubles the
	 * average time before the expiry at which a value is replaced
	 */
	public record EarlyRefresh(@DefaultValue("xfetch") EarlyRefreshMode mode, @DefaultValue("1.0") double beta) {

		public EarlyRefresh {
			Assert.isTrue(beta > 0, () -> PREFIX + "early-refresh.beta must be above zero, was " + beta);
		}

	}

	/**
	 * Replacing values of one cache before they expire.
	 *
	 * @param mode rule by which a value is replaced before it expires
	 */
	public record CacheEarlyRefresh(@Nullable EarlyRefreshMode mode) {
	}

	/**
	 * Rule by which a value is replaced before it expires.
	 */
	public enum EarlyRefreshMode {

		/**
		 * A reader is chosen at random. The nearer the expiry, in units of the time that
		 * the value took to load, the likelier it is chosen.
		 */
		XFETCH,

		/** Never. */
		OFF

	}

	/**
	 * Warm-up.
	 *
	 * @param enabled whether `CacheWarmer` beans run when the application has started
	 * @param readiness whether the application waits for the warm-up before it accepts
	 * traffic
	 * @param timeout longest time that the application waits for the warm-up
	 * @param rate largest number of keys that are read per second, over all instances
	 * @param leaseTime time after which another instance takes over the warm-up of one
	 * that has died
	 * @param validFor time for which a completed warm-up is not repeated by instances
	 * that start
	 */
	public record WarmUp(@DefaultValue("true") boolean enabled, @DefaultValue("ignore") Readiness readiness,
			@DefaultValue("5m") Duration timeout, @DefaultValue("500") int rate,
			@DefaultValue("10s") Duration leaseTime, @DefaultValue("10m") Duration validFor) {

		public WarmUp {
			PropertyChecks.atLeastMillis(PREFIX + "warm-up.timeout", 1, timeout);
			PropertyChecks.atLeastMillis(PREFIX + "warm-up.lease-time", 1, leaseTime);
			PropertyChecks.atLeastMillis(PREFIX + "warm-up.valid-for", 1, validFor);
			PropertyChecks.atLeast(PREFIX + "warm-up.rate", 1, rate);
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
		 * It waits like {@link #WAIT}, and does not start if a warm-up fails or takes too
		 * long.
		 */
		REQUIRE

	}

	public Cache cache(String name) {
		return this.caches.getOrDefault(name, Cache.UNSET);
	}

}
