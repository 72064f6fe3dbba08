// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.script;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Which scripts are refused before they run.
 */
class EntityScriptTests {

	@Test
	void refusesATextThatNamesAnotherKey() {
		Map<String, String> refused = Map.of("return redis.call('GET', 'ge:lock:{a}')", "'ge:lock:{a}'",
				"return redis.call( \"get\" , \"counter\" )", "\"counter\"",
				"return redis.pcall('GET', 'counter' .. ARGV[1])", "'counter'",
				"return redis.call('ZADD', KEYS[1] .. ':index', 1, ARGV[1])", "':index'",
				"local other = 'orders:42'\nreturn redis.call('GET', other)", "'orders:42'",
				"return redis.call('RENAME', KEYS[1], 'other:{agents:a}')", "'other:{agents:a}'");
		refused.forEach((text, named) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> script("-- 'a:b' in a comment\n\n" + text, "status"))
			.withMessageContainingAll("Entity script 'test' names another key in line 3", named,
					"Add it to [status] and write KEYS[n], or pass other text as an argument"));
	}

	@Test
	void takesATextThatNamesNoOtherKey() {
		List<String> taken = List.of("return redis.call('GET', KEYS[1])", "return redis.call('TIME')",
				"return redis.call('OBJECT', 'ENCODING', KEYS[1])", "return {string.match(ARGV[1], '^(%d+):(%d+)$')}",
				"return redis.error_reply('STATE: not active')", "-- as 'ge:lock:{a}'\nreturn 1",
				"redis.call('HSET', KEYS[1], 'status', ARGV[1])", "redis.call('SET', KEYS[1], 'a', 'NX')");
		assertThat(taken).allSatisfy((text) -> assertThat(script(text, "status").text()).isEqualTo(text));
	}

	@Test
	void refusesWhatCannotWork() {
		assertThatIllegalArgumentException().isThrownBy(() -> script("return 1"))
			.withMessageContaining("must have from 1 to 16 different keys, has []");
		assertThatIllegalArgumentException().isThrownBy(() -> script("return 1", "a", "b", "a"))
			.withMessageContaining("must have from 1 to 16 different keys, has [a, b, a]");
		assertThatIllegalArgumentException()
			.isThrownBy(
					() -> script("return 1", IntStream.range(0, 17).mapToObj(String::valueOf).toArray(String[]::new)))
			.withMessageContaining("must have from 1 to 16 different keys");
		assertThatIllegalArgumentException().isThrownBy(() -> script("return 1", "a:b"))
			.withMessageContaining("key must have neither braces, colons");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new EntityScript<>("test", "return 1", Duration.class, List.of("a")))
			.withMessageContaining("cannot reply with java.time.Duration. Use Boolean, Long, String or List");
		assertThatIllegalArgumentException().isThrownBy(() -> EntityScript.of("no/such.lua", Long.class, "a"))
			.withMessageContaining("Cannot read the entity script 'no/such.lua'");
	}

	private static EntityScript<Long> script(String text, String... keys) {
		return new EntityScript<>("test", text, Long.class, List.of(keys));
	}

}
