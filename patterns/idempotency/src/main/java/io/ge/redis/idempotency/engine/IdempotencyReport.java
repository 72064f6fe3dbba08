/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.engine;

import java.util.Collection;
import java.util.List;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.bus.Reports;

/**
 * The report of one instance about its keys. The state of a key is for Redis to say.
 *
 * @param process its process
 * @param inFlight how many of its calls are in flight
 * @param keys the keys, at most 100
 */
public record IdempotencyReport(String process, int inFlight, List<Key> keys) {

	private static final int MOST = 100;

	static IdempotencyReport of(Reports.Filter filter, int inFlight, Collection<RedisIdempotencyKey> keys) {
		return new IdempotencyReport(Reports.process(), inFlight,
				keys.stream()
					.filter((key) -> filter.includes(key.operation(), key::digest))
					.limit(MOST)
					.map((key) -> new Key(key.operation(), key.toString()))
					.toList());
	}

	/**
	 * Returns the reports of all instances.
	 */
	public static Reports<IdempotencyReport> over(InstanceBus bus) {
		return new Reports<>(bus, "idempotency.report", IdempotencyReport.class);
	}

	/**
	 * A key, by the operation and the name of its record.
	 */
	public record Key(String operation, String record) {
	}

}
