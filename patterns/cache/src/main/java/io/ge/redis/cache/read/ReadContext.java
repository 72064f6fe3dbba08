// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.read;

import io.ge.redis.cache.engine.Snapshot;
import io.ge.redis.cache.settings.CacheSettings;
import io.ge.redis.cache.write.CallerScope;
import io.ge.redis.core.outage.CallBudget;

/**
 * The context of one call of a reader: what surrounds it, as of when it sees the
 * database, and how long it waits for Redis.
 */
record ReadContext(CallerScope scope, Snapshot snapshot, CacheSettings settings, CallBudget budget) {

}
