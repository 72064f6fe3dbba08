/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.bloom;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.outage.RedisUnavailableException;
import io.ge.redis.core.outage.Waiting;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles the Bloom filters.
 */
public final class BloomPattern {

	private static final Log logger = LogFactory.getLog(BloomPattern.class);

	private final Supplier<BloomProperties> properties;

	private final Supplier<RedisBloomFilters> filters;

	public BloomPattern(Supplier<BloomProperties> properties, Supplier<RedisBackend> backend) {
		this.properties = properties;
		this.filters = SingletonSupplier.of(() -> new RedisBloomFilters(properties.get(), backend.get()));
	}

	public BloomFilters bloomFilters() {
		return this.filters.get();
	}

	/**
	 * Checks that filters that exist have the configured parameters. Without Redis each
	 * call finds out.
	 * @throws io.ge.redis.core.structure.StructureMismatchException if one has others
	 */
	public void verify() {
		for (String filter : this.properties.get().filters().keySet()) {
			try {
				Waiting.await(this.filters.get().verify(filter));
			}
			catch (RedisUnavailableException ex) {
				logger.warn("The parameters of Bloom filters could not be checked at startup: " + ex.getMessage());
				return;
			}
		}
	}

}
