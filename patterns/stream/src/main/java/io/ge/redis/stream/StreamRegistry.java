/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.stream;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import io.ge.redis.core.invocation.NotConfiguredException;

/**
 * The definitions of streams by name.
 */
final class StreamRegistry {

	private final Map<String, StreamDefinition> definitions = new LinkedHashMap<>();

	StreamRegistry(StreamProperties properties, RedisStreams redis) {
		properties.definitions()
			.forEach((name, definition) -> this.definitions.put(name, new StreamDefinition(name, definition, redis)));
		Map<String, String> owners = new HashMap<>();
		all().forEach((each) -> each.streams()
			.forEach((keys) -> own(owners, each, keys.stream(), "key", "'%s' is a stream of '%s' too.",
					"Give each stream a key of its own.")));
		all().forEach((each) -> each.streams()
			.forEach((keys) -> own(owners, each, keys.dead(), "dead-letter.key",
					"'%s' is used by a stream of '%s' already, and each needs dead letters of its own.",
					each.deadLetterRemedy())));
	}

	private static void own(Map<String, String> owners, StreamDefinition definition, String key, String property,
			String problem, String remedy) {
		String owner = owners.put(key, definition.name());
		if (owner != null) {
			throw definition.problem(property, problem.formatted(key, owner), remedy);
		}
	}

	public StreamDefinition require(String name) {
		StreamDefinition definition = this.definitions.get(name);
		if (definition == null) {
			throw new NotConfiguredException("stream", name, remedy(name));
		}
		return definition;
	}

	public static String remedy(String name) {
		return "Define it with ge.redis.stream.definitions." + name
				+ ".key, .max-length and .groups, or correct the name.";
	}

	public Collection<StreamDefinition> all() {
		return this.definitions.values();
	}

}
