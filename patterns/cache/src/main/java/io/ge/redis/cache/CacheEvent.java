// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;
import java.util.Locale;

import io.ge.redis.core.event.EventMeter;
import io.ge.redis.core.event.GuardEvent;

/**
 * An event of a cache.
 * <p>
 * {@link Read} is published once for each call of a reader, on the thread of the caller
 * and before a value is loaded. Where an expired value can be returned instead, it is
 * published as soon as the returned value is known. So an {@code @EventListener} or
 * {@link io.ge.redis.core.event.GuardListener} knows the current request and can, for
 * example, keep the access for a response header. Hits in memory reach the latter only.
 */
public sealed interface CacheEvent extends GuardEvent {

	@Override
	default String pattern() {
		return "cache";
	}

	/**
	 * A reader asked for a value.
	 *
	 * @param name the cache's name
	 * @param access the result of the read
	 * @param tier the place in which it was asked for
	 */
	record Read(String name, Access access, Tier tier) implements CacheEvent {

		private static final EventMeter GETS = EventMeter.counter("ge.redis.cache.gets", "Calls of readers")
			.of("cache")
			.by("result", Access.values())
			.by("tier", Tier.values());

		private static final int TIERS = Tier.values().length;

		@Override
		public String result() {
			return this.access.text;
		}

		@Override
		public EventMeter meter() {
			return GETS;
		}

		@Override
		public int series() {
			return this.access.ordinal() * TIERS + this.tier.ordinal();
		}

		/**
		 * Returns whether it is an application event. A hit in memory is none, since it
		 * takes less time than publishing one.
		 */
		@Override
		public boolean isApplicationEvent() {
			return this.tier != Tier.NEAR;
		}

	}

	/**
	 * A value was loaded.
	 *
	 * @param name the cache's name
	 * @param succeeded whether the loader returned
	 * @param nanos the load time, in nanoseconds
	 */
	record Load(String name, boolean succeeded, long nanos) implements CacheEvent {

		private static final EventMeter LOADS = EventMeter.timer("ge.redis.cache.loads", "Loading of values")
			.of("cache")
			.by("outcome", List.of("success", "error"));

		@Override
		public String result() {
			return this.succeeded ? "loaded" : "load_failed";
		}

		@Override
		public EventMeter meter() {
			return LOADS;
		}

		@Override
		public int series() {
			return this.succeeded ? 0 : 1;
		}

		@Override
		public long amount() {
			return this.nanos;
		}

	}

	/**
	 * A writer was completed.
	 *
	 * @param name the cache's name
	 * @param outcome the outcome for the entry
	 */
	record Write(String name, Outcome outcome) implements CacheEvent {

		private static final EventMeter WRITES = EventMeter
			.counter("ge.redis.cache.writes", "Writers, by the outcome for the entry")
			.of("cache")
			.by("outcome", Outcome.values());

		@Override
		public String result() {
			return this.outcome.name().toLowerCase(Locale.ROOT);
		}

		@Override
		public EventMeter meter() {
			return WRITES;
		}

		@Override
		public int series() {
			return this.outcome.ordinal();
		}

	}

	/**
	 * A value in Redis could not be read, because it was written by another release or
	 * for another shape of the type, or is damaged. It counts as a miss and is replaced.
	 *
	 * @param name the cache's name
	 */
	record Unreadable(String name) implements CacheEvent {

		private static final EventMeter UNREADABLE = EventMeter
			.counter("ge.redis.cache.unreadable", "Values of another format or type, replaced")
			.of("cache");

		@Override
		public String result() {
			return "unreadable";
		}

		@Override
		public EventMeter meter() {
			return UNREADABLE;
		}

	}

	/**
	 * The result of a read.
	 */
	enum Access {

		/** The value, cached or just loaded by another caller. */
		HIT,

		/** Nothing: the value was loaded. */
		MISS,

		/**
		 * A value that has expired, since another one could not be loaded, or not in
		 * time.
		 */
		STALE,

		/**
		 * A writer was active, or Redis is unavailable: the value was loaded and is not
		 * cached.
		 */
		BYPASS;

		private final String text = name().toLowerCase(Locale.ROOT);

	}

	/**
	 * Place in which a reader asked.
	 */
	enum Tier {

		/** In the memory of its instance. */
		NEAR,

		/** In Redis. */
		REDIS

	}

	/**
	 * The result of a write.
	 */
	enum Outcome {

		/** The new value is stored. */
		PUBLISHED,

		/**
		 * There was no value to publish, or its order is unknown. The entry is removed.
		 */
		INVALIDATED,

		/** Another writer was active: the entry is removed, or is the other one's. */
		SUPERSEDED,

		/** Redis is unavailable: the entry is removed when it is available again. */
		DEFERRED,

		/** The transaction was rolled back: the cache is as if nothing had happened. */
		ROLLED_BACK,

		/** The new value is stored, and waits for the store that writes it behind. */
		WAITING

	}

}
