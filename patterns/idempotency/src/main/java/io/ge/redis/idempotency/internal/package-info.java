// SPDX-License-Identifier: Apache-2.0

/**
 * The guard on idempotent methods, the state of a call, the transactions that it runs in,
 * and the records in Redis and in the database.
 */
@NullMarked
package io.ge.redis.idempotency.internal;

import org.jspecify.annotations.NullMarked;
