/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.state;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.ge.redis.core.consume.ConsumerThreads;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * Workspaces in Redis: {@code {session:101}:workspace} and its siblings;
 * {@code change.lua} says what each is.
 */
record RedisWorkspaces(StateProperties properties, StructureCalls redis, Supplier<ConsumerThreads> threads,
		JsonMapper mapper, GuardEvents events) implements Workspaces {

	@Override
	public Workspace open(String kind, String id) {
		String root = "{" + Arguments.name("kind", kind) + ":" + Arguments.name("id", id) + "}:";
		List<RedisKey> keys = Stream
			.of("workspace", "workspace:meta", "workspace:changes", "workspace:operations", "directory:agents")
			.map((name) -> KeySpace.shared(root + name))
			.toList();
		return new RedisWorkspace(this, kind, root, keys, "", null);
	}

	/** Writes a value as JSON, unless it is larger than values may be. */
	byte[] write(String field, @Nullable Object value) {
		byte[] json = json("The value for field '" + field + "'", () -> this.mapper.writeValueAsBytes(value));
		Assert.isTrue(json.length <= this.properties.maxValueSize().toBytes(),
				() -> "Field '" + field + "' has " + json.length + " bytes as JSON, more than"
						+ " ge.redis.state.max-value-size, which is " + this.properties.maxValueSize()
						+ ". Split it into fields or list entries");
		return json;
	}

	static <T> T json(String what, Supplier<T> writing) {
		try {
			return writing.get();
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(
					what + " cannot be written as JSON. Make it a type that Jackson writes and reads, such as a record",
					ex);
		}
	}

}
