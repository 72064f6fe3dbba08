/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import io.ge.redis.core.call.Handover;
import io.ge.redis.core.event.GuardEvents;

/**
 * The parts of Spring's caches.
 *
 * @param definitions the caches by name
 * @param codec knows types
 * @param caches what code uses
 * @param reader reads where the loader is known
 * @param split reads where the caller loads
 * @param misses what callers are about to load
 * @param puts writes what they put
 * @param writer writes
 * @param transactions what the current thread is in the middle of
 * @param handover goes on with what Redis has answered
 * @param events told of what is done
 */
record SpringCacheParts(CacheDefinitions definitions, CacheCodec codec, DefaultCaches caches, CacheReader reader,
		SplitReader split, OpenMisses misses, SpringCachePuts puts, CacheWriter writer, CacheTransactions transactions,
		Handover handover, GuardEvents events) {

	/**
	 * Removes an entry, or all of a cache, at once and without waiting, and tells it
	 * later.
	 */
	void removeSoon(CacheKey target) {
		this.handover.then(this.writer.removeSoon(target), (outcome) -> {
			this.events.publish(new CacheEvent.Write(target.cache(), outcome));
			return Handover.done(outcome);
		});
	}

}
