// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.ge.redis.core.script.LuaScript;
import io.ge.redis.test.StandaloneRedis;

/**
 * Runs scripts of structures at times that a test chooses.
 */
public final class TimedScripts {

	private TimedScripts() {
	}

	/**
	 * Runs a script on one key.
	 * @param micros what the script takes for the time
	 * @param arguments texts, numbers, and arrays of them
	 */
	public static List<String> run(StandaloneRedis redis, LuaScript script, long micros, String key,
			Object... arguments) {
		return run(redis, new String(script.text(), StandardCharsets.UTF_8), micros, key, arguments);
	}

	/**
	 * Runs the text of a script, in which a test may have changed something.
	 */
	public static List<String> run(StandaloneRedis redis, String text, long micros, String key, Object... arguments) {
		// As keys, so that the server compiles the text once
		String timed = text.replace("redis.call('TIME')", "{KEYS[2], KEYS[3]}");
		List<String> command = new ArrayList<>(List.of("EVAL", timed, "3", key, String.valueOf(micros / 1_000_000),
				String.valueOf(micros % 1_000_000)));
		Stream.of(arguments)
			.flatMap((argument) -> (argument instanceof Object[] several) ? Stream.of(several) : Stream.of(argument))
			.map(String::valueOf)
			.forEach(command::add);
		List<?> reply = (List<?>) redis.primary().command(command.toArray(String[]::new));
		return elements(reply).map(String::valueOf).toList();
	}

	private static Stream<?> elements(List<?> reply) {
		return reply.stream()
			.flatMap((element) -> (element instanceof List<?> list) ? elements(list) : Stream.of(element));
	}

}
