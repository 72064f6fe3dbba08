// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.access;

import io.ge.redis.cache.internal.engine.CacheSettings;
import io.ge.redis.cache.internal.engine.Snapshot;
import io.ge.redis.core.outage.CallBudget;

/**
 * The context of one call of a reader: its scope, its view of the database, and the time
 * that it waits for Redis.
 */
record ReadContext(CallerScope scope, Snapshot snapshot, CacheSettings settings, CallBudget budget) {

}
