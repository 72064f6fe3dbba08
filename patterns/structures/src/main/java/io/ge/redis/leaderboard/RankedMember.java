/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.leaderboard;

/**
 * A member of a leaderboard.
 *
 * @param score the score
 * @param rank the rank from 1; equal scores share one or not, as the board is configured
 * @param members how many members the board has
 */
public record RankedMember(String member, double score, long rank, long members) {

	/**
	 * Returns how many of the other members are not ahead of this one, in percent.
	 * @return from 0 to 100, which is the first one's
	 */
	public double percentile() {
		return (this.members > 1) ? 100.0 * (this.members - this.rank) / (this.members - 1) : 100;
	}

}
