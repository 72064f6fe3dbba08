// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.Assert;

/**
 * Entity scripts in Redis, each in the text of {@code entity.lua}.
 */
public final class RedisEntityScripts implements EntityScripts {

	private static final LuaScript ENTITY = LuaScript.functions(RedisEntityScripts.class, "entity.lua",
			StructureCalls.KEEP);

	/** The number of lines in front of the text of a script. */
	private static final long BEFORE = new String(ENTITY.text(), StandardCharsets.UTF_8).lines()
		.takeWhile((line) -> !line.startsWith("--[["))
		.count();

	private static final Pattern LINE = Pattern.compile("(user_script: ?|at line )(\\d+)");

	private final Map<EntityScript<?>, Loaded> scripts = new ConcurrentHashMap<>();

	private final ScriptProperties properties;

	private final StructureCalls calls;

	public RedisEntityScripts(ScriptProperties properties, RedisBackend backend) {
		this.properties = properties;
		this.calls = new StructureCalls("script", backend);
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T> CompletableFuture<T> runAsync(EntityScript<T> script, String entity, String id, Object... arguments) {
		Object[] all = new Object[arguments.length + 1];
		all[0] = this.properties.entity(entity).timeToLive();
		for (int i = Arguments.count("The number of arguments", arguments.length, 0); i > 0; i--) {
			all[i] = arguments[i - 1];
			Assert.notNull(all[i], "argument must not be null");
			if (all[i] instanceof String text) {
				Arguments.text("argument", text);
			}
		}
		Loaded loaded = this.scripts.computeIfAbsent(script, Loaded::of);
		RedisKey root = this.calls.key(entity, Arguments.name("id", id));
		List<RedisKey> keys = new ArrayList<>(loaded.keys().length);
		for (KeyPart key : loaded.keys()) {
			keys.add(root.with(key));
		}
		return this.calls.run(ScriptCall.of(loaded.lua(), keys, all), this.calls.newBudget(), (reply) -> {
			ScriptReply readable = reply.failing((problem) -> new EntityScriptException(script,
					problem + ". It must reply with " + script.reply().getSimpleName(), null));
			return (T) value(script.reply(), readable);
		}).exceptionally((failure) -> {
			Throwable cause = Waiting.cause(failure);
			boolean failed = cause instanceof RedisUnavailableException unavailable
					&& unavailable.reason() == OutageCause.ERROR;
			throw failed ? failed(script, cause) : new CompletionException(cause);
		});
	}

	private static Object value(Class<?> type, ScriptReply reply) {
		if (type == Boolean.class) {
			return reply.has(0) && reply.number(0) != 0;
		}
		if (type == List.class) {
			return IntStream.range(0, reply.size())
				.<Object>mapToObj((i) -> reply.isNumber(i) ? reply.number(i) : reply.text(i))
				.toList();
		}
		return (type == Long.class) ? (Object) reply.number(0) : reply.text(0);
	}

	/** Lines count from the first one of the script, to the last one. */
	private static EntityScriptException failed(EntityScript<?> script, Throwable failure) {
		String problem = String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
		return new EntityScriptException(script, LINE.matcher(problem.split(" script: ", 2)[0])
			.replaceAll((line) -> "line "
					+ Math.min(script.text().lines().count(), Math.max(1, Long.parseLong(line.group(2)) - BEFORE))),
				failure);
	}

	private record Loaded(LuaScript lua, KeyPart[] keys) {

		static Loaded of(EntityScript<?> script) {
			return new Loaded(ENTITY.around("script/" + script.name(), script.text()),
					script.keys().stream().map(KeyPart::of).toArray(KeyPart[]::new));
		}

	}

}
