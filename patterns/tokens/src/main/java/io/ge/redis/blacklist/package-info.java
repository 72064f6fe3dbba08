// SPDX-License-Identifier: Apache-2.0

/**
 * Revoked tokens and blocked subjects: {@link io.ge.redis.blacklist.BlacklistCheck} on
 * methods, {@link io.ge.redis.blacklist.TokenBlacklist} in code.
 */
@NullMarked
package io.ge.redis.blacklist;

import org.jspecify.annotations.NullMarked;
