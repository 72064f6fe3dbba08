// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.leaderboard;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.ge.redis.Window;
import io.ge.redis.core.invocation.PropertyChecks;
import io.ge.redis.core.structure.Definition;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Leaderboards in the environment. All instances should agree.
 *
 * @param enabled whether leaderboards are available
 * @param connectionFactory name of the connection factory bean to use, if not the
 * application's only or primary one
 * @param boards leaderboards by name
 */
@ConfigurationProperties("ge.redis.leaderboard")
public record LeaderboardProperties(@DefaultValue("true") boolean enabled, @Nullable String connectionFactory,
		@DefaultValue Map<String, Board> boards) {

	private static final String BOARDS = "ge.redis.leaderboard.boards";

	public LeaderboardProperties {
		Definition.check(BOARDS, boards);
	}

	Board board(String name) {
		return Definition.find(this.boards, BOARDS, "leaderboard", name);
	}

	Board board(String name, Window window) {
		Board board = board(name);
		Assert.isTrue(board.windows().contains(window), () -> "Leaderboard '" + name + "' has no window " + window
				+ ", only " + board.windows() + ". Add it to " + BOARDS + "." + name + ".windows, or ask for another");
		return board;
	}

	/**
	 * One leaderboard.
	 *
	 * @param windows periods for which scores are kept; an addition returns the score in
	 * the first one
	 * @param ties ranks of equal scores
	 * @param ttl time for which the scores of a window are kept after the last addition
	 * @param permanent whether scores are kept for ever
	 */
	public record Board(@DefaultValue("none") List<Window> windows, @DefaultValue("shared") Ties ties,
			@Nullable Duration ttl, @DefaultValue("false") boolean permanent) implements Definition {

		@Override
		public void validate(String place) {
			long different = this.windows.stream().distinct().count();
			PropertyChecks.require(different >= 1 && different == this.windows.size(), place + ".windows",
					"different windows, at least one", this.windows);
			this.windows.forEach((window) -> Definition.requireKept(place, window, this.ttl));
		}

	}

	/** The ranks of equal scores. */
	public enum Ties {

		/** They share one, and the next one counts on: 1, 2, 2, 4. */
		SHARED,

		/** The first to reach a score is ahead: 1, 2, 3, 4. Takes twice the memory. */
		FIRST

	}

}
