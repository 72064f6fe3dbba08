/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.state;

import java.util.function.Supplier;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.structure.StructureCalls;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.function.SingletonSupplier;

/**
 * Assembles shared state.
 *
 * @param properties asked when the workspaces are made
 * @param backend the Redis of workspaces
 * @param threads call listeners and the functions of updates
 * @param mapper writes and reads the fields
 * @param events told of changes
 */
public record StatePattern(Supplier<StateProperties> properties, Supplier<RedisBackend> backend,
		Supplier<ConsumerThreads> threads, Supplier<JsonMapper> mapper, GuardEvents events) {

	public Workspaces workspaces() {
		return new RedisWorkspaces(this.properties.get(), new StructureCalls("state", this.backend.get()),
				SingletonSupplier.of(this.threads), this.mapper.get(), this.events);
	}

}
