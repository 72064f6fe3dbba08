// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.util.concurrent.atomic.AtomicLong;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Rows in the database, each with a version that every change raises.
 */
public class Items {

	private final JdbcTemplate jdbc;

	private final AtomicLong loads = new AtomicLong();

	public Items(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Reads a row.
	 * @param id which
	 * @return its version
	 */
	public long load(String id) {
		this.loads.incrementAndGet();
		return version(id);
	}

	private long version(String id) {
		Long version = this.jdbc.queryForObject("select version from items where id = ?", Long.class, id);
		return (version != null) ? version : 0;
	}

	/**
	 * Changes a row, within the transaction of the caller.
	 * @param id which
	 * @return its new version
	 */
	public long increment(String id) {
		Long version = this.jdbc.queryForObject("update items set version = version + 1 where id = ? returning version",
				Long.class, id);
		return (version != null) ? version : 0;
	}

	/**
	 * How often this instance has read a row.
	 * @return the number since it was started
	 */
	public long loads() {
		return this.loads.get();
	}

}
