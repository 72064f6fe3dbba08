// SPDX-License-Identifier: Apache-2.0

/**
 * Decisions about locks: who of this instance waits for a lock and holds it, its lease,
 * and the state in Redis.
 */
@NullMarked
package io.ge.redis.lock.internal;
import org.jspecify.annotations.NullMarked;
