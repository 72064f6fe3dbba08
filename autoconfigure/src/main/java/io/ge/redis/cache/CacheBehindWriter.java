/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.time.Duration;

import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

/**
 * Changes caches that are written behind: Redis takes the change and the value, in one
 * step, and the store gets it later. No transaction has a part in it.
 */
final class CacheBehindWriter {

	private final CacheDefinitions definitions;

	private final CacheCodec codec;

	private final CacheValues values;

	private final CacheEngine engine;

	private final GuardEvents events;

	private final WriteBehind behind;

	CacheBehindWriter(CacheDefinitions definitions, CacheCodec codec, CacheValues values, CacheEngine engine,
			GuardEvents events, WriteBehind behind) {
		this.definitions = definitions;
		this.codec = codec;
		this.values = values;
		this.engine = engine;
		this.events = events;
		this.behind = behind;
	}

	/**
	 * Puts a value into a cache, and has it written to its store later.
	 * @return the version of the change
	 */
	long write(CacheKey key, @Nullable Object value) {
		String cache = key.cache();
		if (!this.behind.isBehind(cache)) {
			throw new IllegalArgumentException("Cache '" + cache + "' is not written behind. Define a WriteBehindStore"
					+ " bean for it, or set ge.redis.cache.caches." + cache
					+ ".write-behind=true where another application has it");
		}
		CacheType type = behindType(cache, value);
		if (value != null && !type.accepts(value)) {
			throw new IllegalArgumentException("Cache '" + cache + "' holds " + type.javaType().toCanonical() + ", not "
					+ value.getClass().getName());
		}
		byte[] change = this.behind.change(type.javaType(), value);
		long most = this.definitions.maxValueSize();
		if (change.length > most) {
			throw new IllegalArgumentException("A change of cache '" + cache + "' has " + change.length
					+ " bytes as JSON. Those above " + most + " bytes (ge.redis.cache.max-value-size) are not taken");
		}
		CallBudget budget = this.engine.newBudget();
		CacheHeader header = this.values.header(cache, this.values.loadTimes().of(cache),
				this.engine.invalidations().stamp(cache, Snapshot.NONE, budget), null);
		CacheWrite.NewValue entry = (header != null) ? this.values.stored(cache, type, value, header) : null;
		byte[] bytes = (entry != null) ? entry.bytes() : new byte[0];
		Duration ttl = (entry != null) ? entry.ttl() : Duration.ZERO;
		try {
			long version = Waiting.await(this.behind.append(cache, key.parts(), change, bytes, ttl, budget));
			this.events.publish(new CacheEvent.Write(cache, CacheEvent.Outcome.WAITING));
			return version;
		}
		finally {
			this.engine.changed(key);
		}
	}

	private CacheType behindType(String cache, @Nullable Object value) {
		CacheType held = heldType(cache);
		return (held != null) ? held : this.codec.type((value != null) ? value.getClass() : Object.class);
	}

	/**
	 * Returns the type that a cache has in its store, or is declared with, if one is
	 * known.
	 */
	@Nullable CacheType heldType(String cache) {
		JavaType stored = this.behind.storedType(cache);
		return (stored != null) ? this.codec.type(stored) : this.definitions.type(cache);
	}

}
