// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Where a transaction begins to see the database as it is now, and not as it becomes.
 */
public final class Snapshot {

	private Snapshot() {
	}

	/**
	 * Takes the snapshot of the current transaction, at REPEATABLE READ.
	 * @param jdbc the database
	 */
	public static void take(JdbcTemplate jdbc) {
		jdbc.queryForList("select 1 from items limit 1");
	}

}
