// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import io.ge.redis.cache.CacheEvent;
import io.ge.redis.cache.behind.WriteBehind;
import io.ge.redis.cache.engine.CacheFlights;
import io.ge.redis.cache.engine.CacheInvalidations;
import io.ge.redis.cache.engine.CacheValues;
import io.ge.redis.cache.settings.CacheRegistry;
import io.ge.redis.cache.write.CacheTransactions;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.cache.write.ReactiveCacheTransactions;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.event.GuardEvents;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all readers have in common.
 */
public record CacheReadParts(CacheRegistry definitions, CacheFlights flights, CacheValues values,
		CacheInvalidations invalidations, CacheTransactions transactions, ReactiveCacheTransactions reactive,
		GuardEvents events, NearReader near, WriteBehind behind, GuardedCalls calls) {

	CallerScope scope(@Nullable Object context) {
		return new CallerScope(this.transactions, this.reactive, context);
	}

	void tell(String cache, CacheEvent.Access access) {
		this.events.publish(new CacheEvent.Read(cache, access, CacheEvent.Tier.REDIS));
	}

}
