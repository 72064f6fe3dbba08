// SPDX-License-Identifier: Apache-2.0

/**
 * Effects of calls: the transactions in which they are made, and the transactional
 * records that prove them.
 */
@NullMarked
package io.ge.redis.idempotency.internal;
import org.jspecify.annotations.NullMarked;
