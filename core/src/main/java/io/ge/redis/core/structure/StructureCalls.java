// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a structure: one script or command on one key, from which a script derives
 * those of its windows and its siblings, in the same slot.
 */
public final class StructureCalls {

	/**
	 * {@code keep(key, ttl)}, for scripts that are loaded with it: each write under
	 * {@code permanent} makes its keys permanent, whatever they were.
	 */
	public static final LuaScript KEEP = LuaScript.functions(StructureCalls.class, "keep.lua");

	/**
	 * {@code window_key(root, window, seconds, ago)} and {@link #KEEP}.
	 */
	public static final LuaScript WINDOWS = LuaScript.functions(StructureCalls.class, "windows.lua", KEEP);

	private final GuardedRedis redis;

	private final KeySpace keys;

	public StructureCalls(String pattern, RedisBackend backend) {
		this.redis = backend.redis(pattern);
		this.keys = backend.keys(pattern);
	}

	/** Returns the key {@code prefix:pattern:{name}}. */
	public RedisKey key(String name) {
		return this.keys.entity(KeyPart.of(name));
	}

	/** Returns the key {@code prefix:pattern:{name:id}}. */
	public RedisKey key(String name, String id) {
		return this.keys.entity(KeyPart.of(name), KeyPart.of(id));
	}

	/**
	 * Runs a script.
	 * @param reader makes the result
	 * @return completes exceptionally with {@link StructureMismatchException} or
	 * {@link RedisUnavailableException}
	 */
	public <T extends @Nullable Object> CompletableFuture<T> run(LuaScript script, RedisKey key,
			Function<ScriptReply, T> reader, Object... arguments) {
		return run(ScriptCall.of(script, key, arguments), newBudget(), reader);
	}

	/** Runs a script as one of several that share a budget, or on several keys. */
	public <T extends @Nullable Object> CompletableFuture<T> run(ScriptCall call, CallBudget budget,
			Function<ScriptReply, T> reader) {
		return this.redis.run(call, budget).handle((reply, failure) -> {
			if (failure != null) {
				throw failed(call, Waiting.cause(failure));
			}
			return reader.apply(reply);
		});
	}

	/**
	 * Runs a script for each of several elements, with one call for those of a slot. All
	 * calls are sent at once.
	 * @param each made by {@link LuaScript#forEach()}
	 * @param elements from 1 to 1000; each counts once
	 * @param arguments the arguments for an element, equally many
	 * @param reader makes the result of an element, or {@code null}
	 * @return completes with the results in the order of the elements, or as {@link #run}
	 */
	public <T> CompletableFuture<Map<String, T>> runEach(LuaScript each, Collection<String> elements,
			Function<String, RedisKey> key, Function<String, Object[]> arguments,
			BiFunction<String, ScriptReply, @Nullable T> reader) {
		Arguments.size("elements", elements);
		List<String> distinct = elements.stream()
			.map((element) -> Arguments.member("element", element))
			.distinct()
			.toList();
		List<RedisKey> keys = distinct.stream().map(key).toList();
		List<Object[]> values = distinct.stream().map(arguments).toList();
		ScriptReply[] replies = new ScriptReply[keys.size()];
		CompletableFuture<?>[] calls = this.redis.groups(keys, Arguments.MAX_COUNT).stream().map((group) -> {
			List<Object> all = new ArrayList<>(List.of(1));
			group.forEach((index) -> all.addAll(List.of(values.get(index))));
			ScriptCall call = ScriptCall.of(each, group.stream().map(keys::get).toList(), all.toArray());
			return run(call, newBudget(), (reply) -> {
				Iterator<ScriptReply> parts = reply.parts().iterator();
				group.forEach((index) -> replies[index] = parts.next());
				return replies;
			});
		}).toArray(CompletableFuture[]::new);
		return CompletableFuture.allOf(calls).thenApply((none) -> {
			Map<String, T> results = new LinkedHashMap<>();
			for (int i = 0; i < replies.length; i++) {
				T result = reader.apply(distinct.get(i), replies[i]);
				if (result != null) {
					results.put(distinct.get(i), result);
				}
			}
			return results;
		});
	}

	public CallBudget newBudget() {
		return this.redis.newBudget();
	}

	private static RuntimeException failed(ScriptCall call, Throwable cause) {
		byte[] key = Objects.requireNonNull(call.firstKey());
		// Servers before 7.0 wrap the error of a command inside a script
		boolean otherType = cause instanceof RedisUnavailableException unavailable
				&& unavailable.reason() == OutageCause.ERROR && unavailable.getMessage().contains("WRONGTYPE");
		return otherType
				? new StructureMismatchException("The key '" + new String(key, StandardCharsets.UTF_8)
						+ "' or one beside it holds data of another type. Delete it, or use another name")
				: new CompletionException(cause);
	}

}
