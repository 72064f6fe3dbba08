/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.leaderboard;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;

/**
 * Assembles the leaderboards.
 *
 * @param properties asked when the leaderboards are made
 * @param backend the Redis of leaderboards
 */
public record LeaderboardPattern(Supplier<LeaderboardProperties> properties, Supplier<RedisBackend> backend) {

	public Leaderboards leaderboards() {
		return new RedisLeaderboards(this.properties.get(), this.backend.get());
	}

}
