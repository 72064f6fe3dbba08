// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.Collection;
import java.util.List;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Reports;

/**
 * The report of one instance about its keys, at most 100. Only Redis knows their states.
 */
record IdempotencyReport(String process, int inFlight, List<Key> keys) {

	private static final int MOST = 100;

	static IdempotencyReport of(Reports.Filter filter, int inFlight, Collection<RedisIdempotencyKey> keys) {
		return new IdempotencyReport(Reports.process(), inFlight,
				keys.stream()
					.filter((key) -> filter.includes(key.operation(), key::digest))
					.limit(MOST)
					.map((key) -> new Key(key.operation(), key.toString()))
					.toList());
	}

	public static Reports<IdempotencyReport> over(InstanceBus bus) {
		return new Reports<>(bus, "idempotency.report", IdempotencyReport.class);
	}

	public record Key(String operation, String record) {
	}

}
