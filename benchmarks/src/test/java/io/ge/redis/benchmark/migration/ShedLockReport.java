// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.migration;

import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * A scheduled method with ShedLock.
 */
class ShedLockReport {

	private final JdbcTemplate jdbc;

	ShedLockReport(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	// @formatter:off
	@Scheduled(cron = "0 0 3 * * *")
	@SchedulerLock(name = "nightly-report", lockAtLeastFor = "1m", lockAtMostFor = "2h")
	public void report() {
		LockAssert.assertLocked();
		this.jdbc.update("insert into report select current_date, sum(pieces) from stock");
	}
	// @formatter:on

}
