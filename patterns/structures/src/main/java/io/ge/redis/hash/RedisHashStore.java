/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.hash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.core.structure.StructureMismatchException;
import io.ge.redis.hash.HashProperties.Store;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.util.Assert;

/**
 * Hash stores in Redis: a hash {@code prefix:hash:{name:id}} for each object, with the
 * JSON of each property as a field.
 */
final class RedisHashStore implements HashStore {

	private static final LuaScript PUT = LuaScript.load(RedisHashStore.class, "put.lua");

	private static final LuaScript GET = LuaScript.load(RedisHashStore.class, "get.lua");

	private static final LuaScript INCREMENT = LuaScript.load(RedisHashStore.class, "increment.lua");

	private static final LuaScript REMOVE = LuaScript.load(RedisHashStore.class, "remove.lua");

	private final HashProperties properties;

	private final StructureCalls calls;

	private final JsonMapper mapper;

	RedisHashStore(HashProperties properties, RedisBackend backend, JsonMapper mapper) {
		this.properties = properties;
		this.calls = new StructureCalls("hash", backend);
		this.mapper = mapper;
	}

	private CompletableFuture<ScriptReply> run(LuaScript script, String store, String id, Object... arguments) {
		return this.calls.run(script, this.calls.key(store, Arguments.name("id", id)), arguments);
	}

	@Override
	public CompletableFuture<Boolean> putAsync(String name, String id, Object state) {
		Store store = this.properties.store(name);
		List<Object> written = new ArrayList<>();
		List<Object> removed = new ArrayList<>();
		for (Map.Entry<String, JsonNode> property : tree(state).properties()) {
			String field = Arguments.member("field", property.getKey());
			if (property.getValue().isNull()) {
				removed.add(field);
			}
			else {
				written.add(field);
				written.add(json(name, store, field, property.getValue()));
			}
		}
		List<Object> arguments = new ArrayList<>(List.of(store.timeToLive(), written.size() / 2));
		arguments.addAll(written);
		arguments.addAll(removed);
		return run(PUT, name, id, arguments.toArray()).thenApply((reply) -> reply.number(0) == 1);
	}

	private ObjectNode tree(Object state) {
		try {
			JsonNode tree = this.mapper.valueToTree(state);
			if (tree instanceof ObjectNode object) {
				Arguments.size("fields", object.properties());
				return object;
			}
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException(state.getClass().getName() + " cannot be written as JSON. Make the state"
					+ " a type that Jackson writes and reads, such as a record", ex);
		}
		throw new IllegalArgumentException(
				"state must be an object with properties, which " + state.getClass().getName() + " is not");
	}

	private byte[] json(String name, Store store, String field, JsonNode value) {
		byte[] json = this.mapper.writeValueAsBytes(value);
		Assert.isTrue(json.length <= store.maxValueSize().toBytes(),
				() -> "Field '" + field + "' has " + json.length + " bytes as JSON, more than " + HashProperties.STORES
						+ "." + name + ".max-value-size, which is " + store.maxValueSize());
		return json;
	}

	@Override
	public <T> CompletableFuture<Optional<T>> getAsync(String name, String id, Class<T> type, String... fields) {
		this.properties.store(name);
		Arguments.count("The number of fields", fields.length, 0);
		for (String field : fields) {
			Arguments.member("field", field);
		}
		return run(GET, name, id, (Object[]) fields)
			.thenApply((reply) -> (reply.number(0) == 1) ? Optional.of(read(name, reply, type)) : Optional.empty());
	}

	private <T> T read(String name, ScriptReply reply, Class<T> type) {
		ObjectNode object = this.mapper.createObjectNode();
		try {
			for (int i = 1; i < reply.size(); i += 2) {
				object.set(reply.text(i), this.mapper.readTree(reply.text(i + 1)));
			}
			return this.mapper.treeToValue(object, type);
		}
		catch (JacksonException ex) {
			throw new StructureMismatchException("An object of hash store '" + name + "' cannot be read as "
					+ type.getName() + ": " + ex.getOriginalMessage());
		}
	}

	@Override
	public CompletableFuture<Long> incrementAsync(String name, String id, String field, long delta) {
		Store store = this.properties.store(name);
		return run(INCREMENT, name, id, Arguments.member("field", field), delta, store.timeToLive())
			.thenApply((reply) -> {
				if (reply.text(0).equals("other")) {
					throw new StructureMismatchException("Field '" + field + "' of hash store '" + name
							+ "' cannot be incremented: it is no whole number, or would exceed 64 bits");
				}
				return reply.number(1);
			});
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String id) {
		this.properties.store(name);
		return run(REMOVE, name, id).thenApply((reply) -> reply.number(0) == 1);
	}

}
