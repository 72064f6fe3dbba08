/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.geo;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;

/**
 * Assembles the geo indexes.
 *
 * @param properties asked when the geo indexes are made
 * @param backend the Redis of geo indexes
 */
public record GeoPattern(Supplier<GeoProperties> properties, Supplier<RedisBackend> backend) {

	public GeoIndexes geoIndexes() {
		return new RedisGeoIndexes(this.properties.get(), this.backend.get());
	}

}
