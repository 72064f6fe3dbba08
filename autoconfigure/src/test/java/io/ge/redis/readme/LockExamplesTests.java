/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.readme;

import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockAssert;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * How the page on locks says that users test.
 */
class LockExamplesTests {

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource("jdbc:h2:mem:lockTests"));

	// @formatter:off
	private final LockExamples jobs = new LockExamples(DistributedLocks.granted(), this.jdbc);

	@Test
	void reports() {
		try (LockAssert.Passing passing = LockAssert.passing()) {
			this.jobs.report();
		}
		assertThat(this.jobs.reportsMade()).isEqualTo(1);
	}
	// @formatter:on

	@Test
	void doesNotReportWithoutLock() {
		assertThatIllegalStateException().isThrownBy(this.jobs::report);
	}

}
