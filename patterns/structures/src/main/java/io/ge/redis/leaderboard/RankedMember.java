// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.leaderboard;

/**
 * A member of a leaderboard.
 *
 * @param score the score
 * @param rank the rank from 1; equal scores share one or not, as the board is configured
 */
public record RankedMember(String member, double score, long rank) {

}
