// SPDX-License-Identifier: Apache-2.0

/**
 * Leaderboards: members by score, with a rank for each, for all time and for windows such
 * as today.
 */
@NullMarked
package io.ge.redis.leaderboard;

import org.jspecify.annotations.NullMarked;
