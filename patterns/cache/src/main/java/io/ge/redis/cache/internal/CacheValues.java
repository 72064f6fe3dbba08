// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

import io.ge.redis.cache.UncacheableValueException;
import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheHeader;
import io.ge.redis.cache.internal.engine.CacheInvalidations;
import io.ge.redis.cache.internal.engine.CacheTags;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.cache.internal.engine.LazyValues;
import io.ge.redis.cache.internal.engine.NewValue;
import io.ge.redis.core.json.RoundTrips;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.support.NullValue;

/**
 * Makes the stored form of a value: its bytes and its times.
 */
final class CacheValues {

	/**
	 * The largest part of its time that a value's load time counts for: whatever takes
	 * longer would be refreshed all the time.
	 */
	private static final int LOADS_IN_TTL = 8;

	private static final Log logger = LogFactory.getLog(CacheValues.class);

	private final CacheRegistry definitions;

	private final CacheCodec codec;

	private final Map<String, Long> loadMillis = new ConcurrentHashMap<>();

	/** Caches and problems of their values that were logged. */
	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	CacheValues(CacheRegistry definitions, CacheCodec codec) {
		this.definitions = definitions;
		this.codec = codec;
	}

	/**
	 * Notes the load time of a value, so that a value that a writer publishes can be
	 * refreshed in time as well. Follows a change within a few loads.
	 */
	void loadedIn(String cache, long millis) {
		this.loadMillis.merge(cache, millis, (known, next) -> (3 * known + next) / 4);
	}

	/**
	 * Returns the load time of a cache's values in milliseconds, or 0 if this instance
	 * has loaded nothing.
	 */
	long loadMillis(String cache) {
		return this.loadMillis.getOrDefault(cache, 0L);
	}

	/**
	 * Makes a value to publish, of the type that the cache is declared with. Throws no
	 * exception.
	 * @param stamp the version that was known before the value was made
	 * @param tags its tags, or {@code null} if nothing is known about them
	 * @return the value, or {@code null} if the entry is to be removed
	 */
	@Nullable NewValue published(String cache, @Nullable Object value, long stamp, @Nullable CacheTags tags) {
		try {
			CacheHeader header = header(cache, loadMillis(cache), stamp, tags);
			if (header == null) {
				return null;
			}
			CacheType type = this.definitions.type(cache);
			return stored(cache, (type != null) ? type : this.codec.open(), value, header);
		}
		catch (UncacheableValueException ex) {
			logger.warn(ex.getMessage());
			return null;
		}
		catch (RuntimeException ex) {
			logger
				.warn("A value for cache '" + cache + "' could not be made, its entry is removed: " + ex.getMessage());
			return null;
		}
	}

	/**
	 * Makes a value to store of one that was loaded.
	 * @param stamp the version that was known before it was loaded
	 * @param tags its tags, or {@code null} if nothing is known about them
	 * @return the value, or {@code null} if it is not to be stored
	 * @throws UncacheableValueException if no value of the kind can be
	 */
	@Nullable NewValue loaded(String cache, CacheType type, @Nullable Object value, long loadMillis, long stamp,
			@Nullable CacheTags tags) {
		CacheHeader header = header(cache, loadMillis, stamp, tags);
		return (header != null) ? stored(cache, type, value, header) : null;
	}

	/**
	 * Says about a value what is known before it is stored.
	 * @param stamp the version that was known before it was loaded
	 * @param tags its tags, or {@code null} if nothing is known about them
	 * @return the header, or {@code null} if the value must not be stored, since it would
	 * miss an invalidation
	 */
	@Nullable CacheHeader header(String cache, long loadMillis, long stamp, @Nullable CacheTags tags) {
		boolean unknown = tags == null && this.definitions.isTagged(cache);
		if (stamp == CacheInvalidations.UNSTAMPABLE || unknown) {
			return null;
		}
		if (tags == null) {
			return CacheHeader.loadedIn(loadMillis).marked(stamp);
		}
		if (!tags.isAll() && tags.hashes().size() <= CacheHeader.MOST_TAGS) {
			return CacheHeader.loadedIn(loadMillis).marked(stamp, tags.toArray());
		}
		warnOnce(cache, "tags", "Cache '" + cache + "' was given a value with more than " + CacheHeader.MOST_TAGS
				+ " tags. Such values are not stored. Logged once per cache");
		return null;
	}

	/**
	 * Makes a value to store.
	 * @return the value, or {@code null} if it is not to be stored
	 * @throws UncacheableValueException if no value of the kind can be
	 */
	@Nullable NewValue stored(String cache, CacheType type, @Nullable Object value, CacheHeader header) {
		if (value instanceof NullValue) {
			return stored(cache, type, null, header);
		}
		CacheSettings settings = this.definitions.settings(cache);
		Duration nominal = (value != null) ? settings.ttl() : settings.negativeTtl();
		if (nominal.toMillis() <= 0) {
			return null;
		}
		CacheType exact = (value != null) ? type.of(value) : type;
		if (value != null && exact == null) {
			String given = "is not stored, since a " + value.getClass().getName();
			warnOnce(cache,
					(type == this.codec.open())
							? given + " does not define one type for all of its content. Set ge.redis.cache.caches."
									+ cache + ".type."
							: given + " is no " + type.javaType().toCanonical() + ", which the cache holds.");
			return null;
		}
		boolean permanent = settings.permanent() && value != null;
		long ttl = permanent ? 0 : shortened(nominal.toMillis(), settings.ttlJitter());
		long kept = (permanent || value == null) ? 0 : settings.staleIfError().toMillis();
		long load = permanent ? 0 : Math.min(header.loadMillis(), ttl / LOADS_IN_TTL);
		byte[] bytes = bytes(cache, (exact != null) ? exact : type, value, header.with(load, kept));
		if (bytes != null && permanent) {
			CacheHeader.endless(bytes);
		}
		return (bytes != null) ? new NewValue(bytes, Duration.ofMillis(ttl + kept), Duration.ofMillis(kept)) : null;
	}

	private static long shortened(long millis, double jitter) {
		return Math.max(1, (long) (millis * (1 - jitter * ThreadLocalRandom.current().nextDouble())));
	}

	private byte @Nullable [] bytes(String cache, CacheType type, @Nullable Object value, CacheHeader header) {
		byte[] bytes;
		try {
			bytes = type.write(value, header);
		}
		catch (LazyValues.LazyValueException ex) {
			throw ex.in(cache);
		}
		catch (RuntimeException ex) {
			warnOnce(cache, "cannot be written as JSON and is not stored: " + RoundTrips.reason(ex) + ".");
			return null;
		}
		long most = this.definitions.maxValueSize();
		if (bytes.length <= most) {
			String loss = this.codec.loss(type, value, () -> type.copy(bytes));
			if (loss != null) {
				warnOnce(cache, "is not stored, since " + loss + ".");
			}
			return (loss == null) ? bytes : null;
		}
		warnOnce(cache, "size", "Cache '" + cache + "' was given a value of " + bytes.length + " bytes. Values above "
				+ most + " bytes (ge.redis.cache.max-value-size) are not stored. Logged once per cache");
		return null;
	}

	private void warnOnce(String cache, String problem) {
		warnOnce(cache, problem, "A value of cache '" + cache + "' " + problem + " Logged once per cache and reason");
	}

	private void warnOnce(String cache, String problem, String message) {
		if (this.warned.add(cache + ' ' + problem)) {
			logger.warn(message);
		}
	}

}
