// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import io.ge.redis.cache.internal.engine.CacheSettings;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.outage.CallBudget;

/**
 * The context of one call of a reader: what surrounds it, as of when it sees the
 * database, and how long it waits for Redis.
 */
record ReadContext(CallerScope scope, Snapshot snapshot, CacheSettings settings, CallBudget budget) {

}
