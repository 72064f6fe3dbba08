// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.List;
import java.util.Map;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Reports;

/**
 * The report of one instance about its caches.
 */
record CacheReport(String process, int journal, List<Counts> caches, List<CacheWarmUp.Progress> warmUps) {

	/** Under which an instance reports how many values it has in memory. */
	static final String NEAR = "near_entries";

	static Reports<CacheReport> over(InstanceBus bus) {
		return new Reports<>(bus, "cache.report", CacheReport.class);
	}

	/**
	 * Counts since the instance started.
	 *
	 * @param results the counts by result, and as {@link CacheReport#NEAR} the values in
	 * memory
	 */
	record Counts(String cache, Map<String, Long> results) {
	}

}
