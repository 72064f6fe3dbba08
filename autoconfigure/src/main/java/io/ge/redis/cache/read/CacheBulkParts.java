/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.read;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.cache.engine.CacheFlights;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.settings.CacheRegistry;
import io.ge.redis.core.event.GuardEvents;

/**
 * The parts of readers of several values.
 *
 * @param definitions the settings of caches
 * @param flights asks for entries
 * @param loads makes what is stored
 * @param invalidations tells what is outdated
 * @param events told of reads and loads
 * @param near what is in memory
 * @param behind what waits for a store
 */
public record CacheBulkParts(CacheRegistry definitions, CacheFlights flights, CacheLoads loads,
		CacheInvalidations invalidations, GuardEvents events, NearReader near, WriteBehind behind) {

	void tell(String cache, CacheEvent.Access access) {
		this.events.publish(new CacheEvent.Read(cache, access, CacheEvent.Tier.REDIS));
	}

}
