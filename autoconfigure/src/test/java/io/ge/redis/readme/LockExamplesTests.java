// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.List;

import io.ge.redis.autoconfigure.GeRedisAutoConfiguration;
import io.ge.redis.autoconfigure.GeRedisDisabledAutoConfiguration;
import io.ge.redis.autoconfigure.LockAutoConfiguration;
import io.ge.redis.lock.DistributedLocks;
import io.ge.redis.lock.LockAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * How the page on locks says that users test.
 */
class LockExamplesTests {

	private final JdbcTemplate jdbc = new JdbcTemplate(
			new DriverManagerDataSource("jdbc:h2:mem:lockTests;DB_CLOSE_DELAY=-1"));

	// @formatter:off
	private final LockExamples examples = new LockExamples(DistributedLocks.unguarded(), this.jdbc);

	@Test
	void reports() {
		try (LockAssert.Passing passing = LockAssert.passing()) {
			this.examples.report();
		}
		assertThat(this.examples.reportsMade()).isEqualTo(1);
	}

	// @formatter:on

	@BeforeEach
	void tables() {
		this.jdbc.execute("drop all objects");
		this.jdbc.execute("create table stock (item varchar, pieces int)");
		this.jdbc.execute("create table report (made date, pieces int)");
	}

	@Test
	void applicationWithoutLocksNeedsNoRedis() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
					GeRedisAutoConfiguration.class, GeRedisDisabledAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withPropertyValues("ge.redis.lock.enabled=false", "spring.data.redis.port=1")
			.withBean(JdbcTemplate.class, () -> this.jdbc)
			.withBean(LockExamples.class)
			.run((context) -> {
				LockExamples examples = context.getBean(LockExamples.class);
				assertThat(examples.takeInTime("tea")).isTrue();
				assertThat(examples.sumUnderLock(List.of("a", "b"))).isPositive();
				examples.report();
				assertThat(examples.reportsMade()).isEqualTo(1);
			});
	}

	@Test
	void doesNotReportWithoutLock() {
		assertThatIllegalStateException().isThrownBy(this.examples::report);
	}

}
