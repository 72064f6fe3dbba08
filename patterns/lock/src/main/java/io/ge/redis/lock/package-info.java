// SPDX-License-Identifier: Apache-2.0

/**
 * Locks: {@link io.ge.redis.lock.DistributedLock} on methods,
 * {@link io.ge.redis.lock.DistributedLocks} in code.
 */
@NullMarked
package io.ge.redis.lock;

import org.jspecify.annotations.NullMarked;
