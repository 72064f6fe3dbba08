/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.stream.engine;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.stream.StreamProperties;

/**
 * The definitions of streams by name.
 */
public final class StreamRegistry {

	private final Map<String, StreamDefinition> definitions = new LinkedHashMap<>();

	/**
	 * Reads the definitions.
	 * @throws GuardConfigurationException if a definition cannot work; says what to write
	 */
	public StreamRegistry(StreamProperties properties, RedisStreams redis) {
		Map<String, String> owners = new HashMap<>();
		properties.definitions().forEach((name, definition) -> {
			StreamDefinition made = new StreamDefinition(name, definition, redis);
			made.streams().forEach((stream) -> {
				String owner = owners.put(stream.stream(), name);
				if (owner != null) {
					throw new GuardConfigurationException("ge.redis.stream.definitions." + name + ".key",
							"'" + stream.stream() + "' is a stream of '" + owner + "' too.",
							"Give each stream a key of its own.");
				}
			});
			this.definitions.put(name, made);
		});
		all().forEach((made) -> made.streams().forEach((stream) -> {
			String owner = owners.put(stream.dead(), made.name());
			if (owner != null) {
				throw new GuardConfigurationException("ge.redis.stream.definitions." + made.name() + ".dead-letter.key",
						"'" + stream.dead() + "' is used by a stream of '" + owner
								+ "' already, and each needs dead letters of its own.",
						made.deadLetterRemedy());
			}
		}));
	}

	public StreamDefinition require(String name) {
		StreamDefinition definition = this.definitions.get(name);
		if (definition == null) {
			throw new NotConfiguredException("stream", name, remedy(name));
		}
		return definition;
	}

	/**
	 * Returns the properties that a stream needs.
	 */
	public static String remedy(String name) {
		return "Define it with ge.redis.stream.definitions." + name
				+ ".key, .max-length and .groups, or correct the name.";
	}

	public Collection<StreamDefinition> all() {
		return this.definitions.values();
	}

}
