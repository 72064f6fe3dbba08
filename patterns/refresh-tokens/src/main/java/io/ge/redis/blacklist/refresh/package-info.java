// SPDX-License-Identifier: Apache-2.0

/**
 * Refresh tokens that are replaced with every use:
 * {@link io.ge.redis.blacklist.refresh.RefreshTokens}. What is found to be stolen ends in
 * the blacklist.
 */
@NullMarked
package io.ge.redis.blacklist.refresh;

import org.jspecify.annotations.NullMarked;
