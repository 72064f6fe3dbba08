// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.Change;
import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.WriteBehindStore;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.transaction.annotation.Transactional;

/**
 * The code of the page on caches that are written behind.
 */
class WriteBehindExamples {

	private static final RowMapper<Score> SCORE = (row, number) -> new Score(row.getString("player"),
			row.getInt("points"));

	private final GeCaches caches;

	private final JdbcTemplate jdbc;

	WriteBehindExamples(GeCaches caches, JdbcTemplate jdbc) {
		this.caches = caches;
		this.jdbc = jdbc;
	}

	// @formatter:off
	@CacheWriteBehind(cache = "scores", key = "#player")
	public Score award(String player, int points) {
		return new Score(player, points);
	}

	public long set(String player, int points) {
		return this.caches.writeBehind("scores", player, new Score(player, points));
	}

	@CacheAside(cache = "scores", key = "#player")
	public Score find(String player) {
		return this.jdbc.query("select player, points from score where player = ?", SCORE, player)
			.stream()
			.findFirst()
			.orElse(null);
	}
	// @formatter:on

	/**
	 * What is cached.
	 *
	 * @param player whose
	 * @param points how many
	 */
	record Score(String player, int points) {
	}

	// @formatter:off
	static
	class ScoreStore implements WriteBehindStore<Score> {

		private final JdbcTemplate jdbc;

		ScoreStore(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Override
		public String cache() {
			return "scores";
		}

		@Override
		@Transactional
		public void writeAll(List<Change<Score>> changes) {
			this.jdbc.batchUpdate("insert into score (player, points, version) values (?, ?, ?)"
					+ " on conflict (player) do update set points = excluded.points, version = excluded.version"
					+ " where score.version < excluded.version", changes, changes.size(),
					(row, change) -> {
						row.setString(1, change.key());
						row.setInt(2, change.value().points());
						row.setLong(3, change.version());
					});
		}

	}
	// @formatter:on

}
