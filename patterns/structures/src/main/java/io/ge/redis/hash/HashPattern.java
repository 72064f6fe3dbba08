/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.hash;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import tools.jackson.databind.json.JsonMapper;

/**
 * Assembles the hash stores.
 *
 * @param properties asked when the stores are made
 * @param backend the Redis of hash stores
 * @param mapper writes and reads the fields
 */
public record HashPattern(Supplier<HashProperties> properties, Supplier<RedisBackend> backend,
		Supplier<JsonMapper> mapper) {

	public HashStore hashStore() {
		return new RedisHashStore(this.properties.get(), this.backend.get(), this.mapper.get());
	}

}
