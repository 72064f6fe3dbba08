// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.migration;

import java.util.concurrent.atomic.AtomicInteger;

import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * A scheduled method with ShedLock.
 */
class ShedLockReport {

	private final AtomicInteger reports = new AtomicInteger();

	// @formatter:off
	@Scheduled(cron = "0 0 3 * * *")
	@SchedulerLock(name = "nightly-report", lockAtLeastFor = "1m", lockAtMostFor = "2h")
	public void report() {
		LockAssert.assertLocked();
		this.reports.incrementAndGet();
	}
	// @formatter:on

}
