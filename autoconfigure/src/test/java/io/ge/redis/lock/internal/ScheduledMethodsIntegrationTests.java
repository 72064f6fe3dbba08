// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.ge.redis.lock.DistributedLock;
import io.ge.redis.lock.LockAcquireEvent;
import io.ge.redis.lock.LockAssert;
import io.ge.redis.lock.LockContext;
import io.ge.redis.lock.OnNotAcquired;
import io.ge.redis.test.OnRedis;
import io.ge.redis.test.RedisFixture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.test.util.AopTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every instance has the schedule, and one of them runs it.
 */
@OnRedis
class ScheduledMethodsIntegrationTests {

	/** Of the shortest hold, less what is lost since servers count in milliseconds. */
	private static final long LEAST_MICROS = 999_000;

	private static final String[] PATIENT = { "ge.redis.outage.command-timeout=5s" };

	@BeforeEach
	void reset() {
		Report.runs.clear();
		Report.failures.clear();
	}

	@Test
	void oneOfTwoInstancesRunsEachTimeAndTheOtherTakesOver(RedisFixture redis) {
		LockApplication first = LockApplication.start(redis.properties(), PATIENT, Beans.class);
		try (LockApplication second = LockApplication.start(redis.properties(), PATIENT, Beans.class)) {
			Awaitility.await().until(() -> Report.runs.size() >= 3);
			first.close();
			int before = Report.runs.size();
			Report remaining = AopTestUtils.getTargetObject(second.get(Report.class));
			Awaitility.await().until(() -> Report.runs.size() >= before + 2);
			List<Run> runs = new ArrayList<>(Report.runs);
			for (int i = 1; i < runs.size(); i++) {
				assertThat(runs.get(i).token() - runs.get(i - 1).token()).as("a run does not follow too soon")
					.isGreaterThanOrEqualTo(LEAST_MICROS);
			}
			assertThat(Report.failures).isEmpty();
			assertThat(runs.get(runs.size() - 1).report()).isSameAs(remaining);
			assertThat(second.events(LockAcquireEvent.class)).as("turns that were passed over")
				.filteredOn((event) -> event.outcome() == LockAcquireEvent.Outcome.NOT_ACQUIRED)
				.hasSizeGreaterThan(runs.size());
		}
		finally {
			first.close();
		}
	}

	record Run(Report report, long token) {
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@Import(Report.class)
	static class Beans {

		// A turn that comes before the connection stands is one that is missed
		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setErrorHandler(Report.failures::add);
			return scheduler;
		}

	}

	static class Report {

		private static final List<Run> runs = new CopyOnWriteArrayList<>();

		private static final List<Throwable> failures = new CopyOnWriteArrayList<>();

		@Scheduled(fixedRate = 50)
		@DistributedLock(name = "report", onNotAcquired = OnNotAcquired.SKIP, atLeastFor = "1s")
		public void run() {
			LockAssert.assertHeld("report");
			runs.add(new Run(this, LockContext.current().token()));
		}

	}

}
