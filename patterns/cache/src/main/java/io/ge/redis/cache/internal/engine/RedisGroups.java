// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import org.jspecify.annotations.Nullable;

/**
 * Runs a script for many entries: with one call for each {@value #MOST} of them, on a
 * Cluster of those of each slot, all sent at once.
 */
final class RedisGroups {

	/** Bounds the time that one call blocks the server. */
	static final int MOST = 1000;

	private final GuardedRedis redis;

	private final LuaScript script;

	private final LuaScript undo;

	private final boolean holds;

	/**
	 * Creates the groups.
	 * @param undoOne compensates the script if its outcome is unknown
	 * @param holds whether to compensate even if the script did not run, since the entry
	 * is held already
	 */
	RedisGroups(GuardedRedis redis, LuaScript one, LuaScript undoOne, boolean holds) {
		this.redis = redis;
		this.script = one.forEach();
		this.undo = undoOne.forEach();
		this.holds = holds;
	}

	/**
	 * Runs the script. The calls share the budget, since they are waited for together.
	 * @return completes with the replies in the order of the entries, {@code null} where
	 * it is unknown, never exceptionally
	 */
	CompletableFuture<List<@Nullable ScriptReply>> run(List<Entry> entries, Duration useful, CallBudget budget) {
		@Nullable ScriptReply[] replies = new ScriptReply[entries.size()];
		Duration left = Duration.ofNanos(budget.remainingNanos());
		long started = System.nanoTime();
		List<CompletableFuture<?>> calls = new ArrayList<>();
		List<RedisKey> keys = entries.stream().map((entry) -> entry.keys().get(0)).toList();
		for (List<Integer> group : this.redis.groups(keys, MOST)) {
			calls.add(
					this.redis
						.run(call(this.script, entries, group, false), CallBudget.of(left),
								() -> call(this.undo, entries, group, true), useful)
						.handle((reply, failure) -> {
							if (failure != null && this.holds) {
								this.redis.compensateUnlessUnknown(failure, () -> call(this.undo, entries, group, true),
										useful);
							}
							List<ScriptReply> parts = (failure == null) ? reply.parts() : List.of();
							for (int i = 0; i < parts.size(); i++) {
								replies[group.get(i)] = parts.get(i);
							}
							return null;
						}));
		}
		return CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).thenApply((none) -> {
			budget.spend(System.nanoTime() - started);
			return Arrays.asList(replies);
		});
	}

	private static ScriptCall call(LuaScript script, List<Entry> entries, List<Integer> group, boolean undo) {
		List<RedisKey> keys = new ArrayList<>();
		List<Object> arguments = new ArrayList<>();
		arguments.add(entries.get(group.get(0)).keys().size());
		for (int index : group) {
			Entry entry = entries.get(index);
			keys.addAll(entry.keys());
			arguments.addAll(undo ? List.of(entry.arguments()[0], 0) : Arrays.asList(entry.arguments()));
		}
		return ScriptCall.of(script, keys, arguments.toArray());
	}

	/**
	 * An entry of a script call.
	 *
	 * @param arguments the first one is a token, by which the call is compensated
	 */
	record Entry(List<RedisKey> keys, Object... arguments) {
	}

}
