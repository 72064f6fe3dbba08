// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.RedisErrorReplyException;
import io.ge.redis.test.StandaloneRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scripts as a model runs them: the one line that reads the clock takes the time from the
 * last argument, and messages go to a list with the key {@value #MESSAGES}.
 */
final class ModelledScripts {

	static final String MESSAGES = "messages";

	private static final String CLOCK_LINE = "local clock = redis.call('TIME') -- the only reading of time";

	private static final String VIRTUAL_CLOCK = "local clock = {0, tonumber(table.remove(ARGV))}";

	private ModelledScripts() {
	}

	static String timed(String name) {
		String text = untimed(name);
		assertThat(text).containsOnlyOnce(CLOCK_LINE);
		return text.replace(CLOCK_LINE, VIRTUAL_CLOCK)
			.replaceAll("redis\\.pcall\\('PUBLISH', (chosen|channel),",
					"redis.pcall('RPUSH', 'messages', $1 .. ' ' ..");
	}

	static String untimed(String name) {
		try (InputStream stream = DistributedLocks.class.getResourceAsStream(name)) {
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns a script with a fault.
	 */
	static String replace(String script, String right, String wrong) {
		assertThat(script).contains(right);
		return script.replace(right, wrong);
	}

	static List<Object> eval(StandaloneRedis redis, String script, List<String> keys, Object... arguments) {
		List<String> command = new ArrayList<>(List.of("EVAL", script, "" + keys.size()));
		command.addAll(keys);
		for (Object argument : arguments) {
			command.add(argument.toString());
		}
		try {
			return List.copyOf((List<?>) redis.primary().command(command.toArray(String[]::new)));
		}
		catch (RedisErrorReplyException ex) {
			throw new AssertionError("The script failed: " + ex.getMessage());
		}
	}

	/**
	 * Returns the messages since the last time.
	 */
	static Object messages(StandaloneRedis redis) {
		Object messages = redis.primary().command("LRANGE", MESSAGES, "0", "-1");
		redis.primary().command("DEL", MESSAGES);
		return messages;
	}

}
