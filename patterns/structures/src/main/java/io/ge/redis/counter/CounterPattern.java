/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.counter;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;

/**
 * Assembles the unique counters.
 *
 * @param properties asked when the unique counters are made
 * @param backend the Redis of unique counters
 */
public record CounterPattern(Supplier<CounterProperties> properties, Supplier<RedisBackend> backend) {

	public UniqueCounters uniqueCounters() {
		return new RedisUniqueCounters(this.properties.get(), this.backend.get());
	}

}
