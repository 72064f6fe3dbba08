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
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.core.structure.StructureMismatchException;
import io.ge.redis.hash.HashProperties.Store;
import tools.jackson.core.JacksonException;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/**
 * Hash stores in Redis: a hash {@code prefix:hash:{name:id}} for each object, with the
 * JSON of each property as a field. The field without a name says that the object exists,
 * so that one command is enough to read some fields, and to write all of an object that
 * is permanent.
 */
public final class RedisHashStore implements HashStore {

	private static final LuaScript PUT = LuaScript.load(RedisHashStore.class, "put.lua");

	private static final LuaScript PUT_PERMANENT = LuaScript.command(RedisHashStore.class, "put", "HSET");

	private static final LuaScript GET = LuaScript.command(RedisHashStore.class, "get", "HMGET");

	private static final LuaScript GET_ALL = LuaScript.command(RedisHashStore.class, "get", "HGETALL");

	private static final LuaScript INCREMENT = LuaScript.load(RedisHashStore.class, "increment.lua");

	private static final LuaScript REMOVE = LuaScript.load(RedisHashStore.class, "remove.lua");

	private static final String EXISTS = "";

	private final HashProperties properties;

	private final StructureCalls calls;

	private final JsonMapper mapper;

	private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();

	public RedisHashStore(HashProperties properties, RedisBackend backend, JsonMapper mapper) {
		this.properties = properties;
		this.calls = new StructureCalls("hash", backend);
		this.mapper = mapper;
	}

	private RedisKey key(String store, String id) {
		return this.calls.key(store, Arguments.name("id", id));
	}

	@Override
	public CompletableFuture<Boolean> putAsync(String name, String id, Object state) {
		Store store = this.properties.store(name);
		List<Object> written = new ArrayList<>(List.of(EXISTS, "1"));
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
		RedisKey key = key(name, id);
		if (store.permanent() && removed.isEmpty()) {
			// All fields are new, also the first one
			return this.calls.run(PUT_PERMANENT, key, (reply) -> 2 * reply.number(0) == written.size(),
					written.toArray());
		}
		List<Object> arguments = new ArrayList<>(List.of(store.timeToLive(), written.size() / 2));
		arguments.addAll(written);
		arguments.addAll(removed);
		return this.calls.run(PUT, key, (reply) -> reply.number(0) == 1, arguments.toArray());
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
		byte[] json = value.isString()
				? ScriptCall.argument(
						'"' + new String(JsonStringEncoder.getInstance().quoteAsCharArray(value.stringValue())) + '"')
				: this.mapper.writeValueAsBytes(value);
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
		boolean all = fields.length == 0;
		return this.calls.run(all ? GET_ALL : GET, key(name, id), (reply) -> {
			StringBuilder json = new StringBuilder(128).append('{');
			for (int i = 0; i < (all ? reply.size() / 2 : fields.length); i++) {
				String field = all ? reply.text(2 * i) : fields[i];
				int value = all ? 2 * i + 1 : i;
				if (!field.isEmpty() && reply.has(value)) {
					json.append((json.length() > 1) ? ",\"" : "\"");
					JsonStringEncoder.getInstance().quoteAsString(field, json);
					json.append("\":").append(reply.text(value));
				}
			}
			boolean exists = json.length() > 1 || reply.has(fields.length);
			return exists ? Optional.of(read(name, json.append('}').toString(), type)) : Optional.empty();
		}, all ? new Object[0] : StringUtils.addStringToArray(fields, EXISTS));
	}

	private <T> T read(String name, String json, Class<T> type) {
		try {
			return this.readers.computeIfAbsent(type, this.mapper::readerFor).readValue(json);
		}
		catch (JacksonException ex) {
			throw new StructureMismatchException("An object of hash store '" + name + "' cannot be read as "
					+ type.getName() + ": " + ex.getOriginalMessage());
		}
	}

	@Override
	public CompletableFuture<Long> incrementAsync(String name, String id, String field, long delta) {
		Store store = this.properties.store(name);
		return this.calls.run(INCREMENT, key(name, id), (reply) -> {
			if (reply.text(0).equals("other")) {
				throw new StructureMismatchException("Field '" + field + "' of hash store '" + name
						+ "' cannot be incremented: it is no whole number, or would exceed 64 bits");
			}
			return reply.number(1);
		}, Arguments.member("field", field), delta, store.timeToLive());
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String id) {
		this.properties.store(name);
		return this.calls.run(REMOVE, key(name, id), (reply) -> reply.number(0) == 1);
	}

}
