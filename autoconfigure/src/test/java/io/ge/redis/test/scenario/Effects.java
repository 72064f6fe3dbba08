// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The effects of calls in the database, one row each.
 */
public class Effects {

	private final JdbcTemplate jdbc;

	public Effects(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Has an effect, within the transaction of the caller.
	 * @param key what it is an effect of
	 * @param millis how long it takes
	 * @return a text that no other effect has
	 */
	public String add(String key, long millis) {
		String token = UUID.randomUUID().toString();
		this.jdbc.update("insert into effects (key, token) values (?, ?)", key, token);
		if (millis > 0) {
			this.jdbc.queryForList("select pg_sleep(?)", millis / 1000.0);
		}
		return token;
	}

}
