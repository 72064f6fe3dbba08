// SPDX-License-Identifier: Apache-2.0

/**
 * Wallets and their balances, kept in the database and served from Redis.
 */
@NullMarked
package io.ge.redis.sample.wallet;

import org.jspecify.annotations.NullMarked;
