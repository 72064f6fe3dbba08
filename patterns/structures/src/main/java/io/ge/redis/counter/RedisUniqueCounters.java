// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.counter;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.Window;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.counter.CounterProperties.Counter;

/**
 * Unique counters in Redis: a HyperLogLog {@code prefix:counter:{name}} or one for each
 * window.
 */
public final class RedisUniqueCounters implements UniqueCounters {

	private static final LuaScript ADD = LuaScript.load(RedisUniqueCounters.class, "add.lua", StructureCalls.WINDOWS);

	private static final LuaScript COUNT = LuaScript.load(RedisUniqueCounters.class, "count.lua",
			StructureCalls.WINDOWS);

	private static final LuaScript COUNT_ALL = LuaScript.command(RedisUniqueCounters.class, "count", "PFCOUNT");

	private final CounterProperties properties;

	private final StructureCalls calls;

	public RedisUniqueCounters(CounterProperties properties, RedisBackend backend) {
		this.properties = properties;
		this.calls = new StructureCalls("counter", backend);
	}

	@Override
	public CompletableFuture<Boolean> addAsync(String name, Collection<String> values) {
		Counter counter = this.properties.counter(name);
		Arguments.size("values", values);
		values.forEach((value) -> Arguments.member("value", value));
		List<Object> arguments = new ArrayList<>(List.of(counter.window().argument(), counter.timeToLive()));
		arguments.addAll(values);
		return this.calls.run(ADD, this.calls.key(name), (reply) -> reply.number(0) == 1, arguments.toArray());
	}

	@Override
	public CompletableFuture<Long> countAsync(String name, int windows) {
		Counter counter = this.properties.counter(name, windows);
		RedisKey key = this.calls.key(name);
		return (counter.window() == Window.NONE) ? this.calls.run(COUNT_ALL, key, (reply) -> reply.number(0))
				: this.calls.run(COUNT, key, (reply) -> reply.number(0), counter.window().argument(), windows);
	}

}
