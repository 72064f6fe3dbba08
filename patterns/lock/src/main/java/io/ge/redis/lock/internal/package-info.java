// SPDX-License-Identifier: Apache-2.0

/**
 * The guard on locked methods, the locks that this instance holds and waits for, and the
 * state in Redis.
 */
@NullMarked
package io.ge.redis.lock.internal;

import org.jspecify.annotations.NullMarked;
