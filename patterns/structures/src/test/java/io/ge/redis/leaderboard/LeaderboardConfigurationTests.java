// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.leaderboard;

import io.ge.redis.Window;
import io.ge.redis.core.structure.Bound;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mistakes in properties are refused, and what is switched off keeps nothing.
 */
class LeaderboardConfigurationTests {

	private static final String BOARDS = "ge.redis.leaderboard.boards";

	@Test
	void refusesPropertiesThatCannotWork() {
		refuses(BOARDS + ".x.ttl must be set", "x.ties", "first");
		refuses(BOARDS + ".x.windows must be different windows", "x.ttl", "1d", "x.windows", "day,day");
		refuses(BOARDS + ".x.windows must be different windows, at least one", "x.ttl", "1d", "x.windows", "");
		refuses(BOARDS + ".x.ttl must be at least PT24H", "x.ttl", "1h", "x.windows", "day");
	}

	private static void refuses(String problem, String... properties) {
		Bound.refuses(problem, LeaderboardProperties.class, BOARDS, properties);
	}

	@Test
	void keepsNothingWhereLeaderboardsAreSwitchedOff() {
		Leaderboards boards = Leaderboards.unguarded();
		assertThat(boards.add("any", "a", 2)).isEqualTo(2);
		assertThat(boards.submitBest("any", "a", 3)).isEqualTo(3);
		assertThat(boards.percentile("any", Window.NONE, "a")).isEmpty();
		assertThat(boards.top("any", Window.DAY, 1)).isEmpty();
		assertThat(boards.rank("any", Window.DAY, "a")).isEmpty();
		assertThat(boards.remove("any", "a")).isFalse();
	}

}
