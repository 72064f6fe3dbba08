/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Reports;

/**
 * The report of one instance about its locks.
 *
 * @param process its process
 * @param held how many locks its callers hold
 * @param awaited how many locks its callers wait for
 * @param holders the holders, at most 100, the longest held first
 * @param waiters the waiters, likewise, the most wanted first
 */
record LockReport(String process, int held, int awaited, List<Holder> holders, List<Waiters> waiters) {

	private static final int MOST = 100;

	static LockReport of(Reports.Filter filter, List<HeldLock> held, List<Queue> queues) {
		List<Holder> holders = held.stream()
			.filter((lock) -> filter.includes(lock.name(), lock.tenure.key::hash))
			.map((lock) -> new Holder(lock.name(), lock.tenure.key.text(), lock.token(), lock.age(), lock.remaining()))
			.sorted(Comparator.comparing(Holder::age).reversed())
			.limit(MOST)
			.toList();
		List<Waiters> waiters = queues.stream()
			.filter((queue) -> filter.includes(queue.name(), queue.lock()::hash))
			.sorted(Comparator.comparing(Queue::waiters).reversed())
			.limit(MOST)
			.map((queue) -> new Waiters(queue.name(), queue.lock().text(), queue.waiters()))
			.toList();
		return new LockReport(Reports.process(), held.size(), queues.size(), holders, waiters);
	}

	/**
	 * Returns the reports of all instances.
	 */
	static Reports<LockReport> over(InstanceBus bus) {
		return new Reports<>(bus, "lock.report", LockReport.class);
	}

	/**
	 * Returns the keys that are named.
	 */
	Stream<String> keys() {
		return Stream.concat(this.holders.stream().map(Holder::key), this.waiters.stream().map(Waiters::key));
	}

	/**
	 * A caller that holds a lock.
	 */
	record Holder(String name, String key, long token, Duration age, Duration remaining) {
	}

	/**
	 * Callers that wait for a lock.
	 */
	record Waiters(String name, String key, int count) {
	}

	/**
	 * Callers of this instance that wait for a lock.
	 */
	record Queue(String name, RedisLockKey lock, int waiters) {
	}

}
