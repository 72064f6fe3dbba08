// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.hash;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.core.structure.StructureMismatchException;
import io.ge.redis.hash.HashProperties.Store;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.io.JsonStringEncoder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.Assert;

/**
 * Hash stores in Redis: a hash {@code prefix:hash:{name:id}} for each object, with the
 * JSON of each property as a field. The field without a name says that the object exists,
 * so that one command is enough to read some fields.
 */
public final class RedisHashStore implements HashStore {

	private static final LuaScript PUT = LuaScript.load(RedisHashStore.class, "put.lua", StructureCalls.KEEP);

	private static final LuaScript GET = LuaScript.command(RedisHashStore.class, "get", "HMGET");

	private static final LuaScript GET_ALL = LuaScript.command(RedisHashStore.class, "get", "HGETALL");

	private static final LuaScript GET_EACH = GET.forEach();

	private static final LuaScript GET_ALL_EACH = GET_ALL.forEach();

	private static final LuaScript INCREMENT = LuaScript.load(RedisHashStore.class, "increment.lua",
			StructureCalls.KEEP);

	private static final LuaScript REMOVE = LuaScript.load(RedisHashStore.class, "remove.lua");

	private static final String EXISTS = "";

	private final HashProperties properties;

	private final StructureCalls calls;

	private final HashFields fields;

	public RedisHashStore(HashProperties properties, RedisBackend backend, JsonMapper mapper) {
		this.properties = properties;
		this.calls = new StructureCalls("hash", backend);
		this.fields = new HashFields(mapper);
	}

	private RedisKey key(String store, String id) {
		return this.calls.key(store, Arguments.name("id", id));
	}

	@Override
	public CompletableFuture<Boolean> putAsync(String name, String id, Object state) {
		Store store = this.properties.store(name);
		List<Object> written = new ArrayList<>(List.of(EXISTS, "1"));
		List<Object> removed = new ArrayList<>();
		this.fields.of(name, state).forEach((field, value) -> {
			if (value.isNull()) {
				removed.add(field);
			}
			else {
				written.add(field);
				written.add(json(name, store, field, value));
			}
		});
		List<Object> arguments = new ArrayList<>(List.of(store.timeToLive(), written.size() / 2));
		arguments.addAll(written);
		arguments.addAll(removed);
		return this.calls.run(PUT, key(name, id), (reply) -> reply.number(0) == 1, arguments.toArray());
	}

	private byte[] json(String name, Store store, String field, JsonNode value) {
		byte[] json = this.fields.write(field, value);
		Assert.isTrue(json.length <= store.maxValueSize().toBytes(),
				() -> "Field '" + field + "' has " + json.length + " bytes as JSON, more than " + HashProperties.STORES
						+ "." + name + ".max-value-size, which is " + store.maxValueSize());
		return json;
	}

	@Override
	public <T> CompletableFuture<Optional<T>> getAsync(String name, String id, Class<T> type, String... fields) {
		Object[] read = fields(name, fields);
		Function<ScriptReply, @Nullable T> reader = reader(name, type, read);
		return this.calls.run((read.length == 0) ? GET_ALL : GET, key(name, id),
				(reply) -> Optional.ofNullable(reader.apply(reply)), read);
	}

	@Override
	public <T> CompletableFuture<Map<String, T>> getAllAsync(String name, Collection<String> ids, Class<T> type,
			String... fields) {
		Object[] read = fields(name, fields);
		Function<ScriptReply, @Nullable T> reader = reader(name, type, read);
		return this.calls.runEach((read.length == 0) ? GET_ALL_EACH : GET_EACH, ids, (id) -> key(name, id),
				(id) -> read, (id, reply) -> {
					// As each.lua replies for a key for which the command fails
					if (reply.size() == 1) {
						throw new StructureMismatchException("Object '" + id + "' of hash store '" + name
								+ "' holds data of another type. Delete it, or use another id");
					}
					return reader.apply(reply);
				});
	}

	/** Returns the fields to read, the last one without a name; none for all. */
	private Object[] fields(String name, String... fields) {
		this.properties.store(name);
		Arguments.count("The number of fields", fields.length, 0);
		Stream<String> read = Stream.of(fields).map((field) -> this.fields.field(name, field));
		return (fields.length == 0) ? fields : Stream.concat(read, Stream.of(EXISTS)).toArray();
	}

	private <T> Function<ScriptReply, @Nullable T> reader(String name, Class<T> type, Object[] read) {
		ObjectReader reader = this.fields.reader(name, type);
		boolean all = read.length == 0;
		return (reply) -> {
			StringBuilder json = new StringBuilder(128).append('{');
			for (int i = 0; i < (all ? reply.size() / 2 : read.length - 1); i++) {
				String field = all ? reply.text(2 * i) : (String) read[i];
				int value = all ? 2 * i + 1 : i;
				if (!field.isEmpty() && reply.has(value)) {
					json.append((json.length() > 1) ? ",\"" : "\"");
					JsonStringEncoder.getInstance().quoteAsString(field, json);
					json.append("\":").append(reply.text(value));
				}
			}
			boolean exists = json.length() > 1 || (!all && reply.has(read.length - 1));
			return exists ? read(name, json.append('}').toString(), type, reader) : null;
		};
	}

	private static <T> T read(String name, String json, Class<T> type, ObjectReader reader) {
		try {
			return reader.readValue(json);
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
		}, this.fields.field(name, field), delta, store.timeToLive());
	}

	@Override
	public CompletableFuture<Boolean> removeAsync(String name, String id) {
		this.properties.store(name);
		return this.calls.run(REMOVE, key(name, id), (reply) -> reply.number(0) == 1);
	}

}
