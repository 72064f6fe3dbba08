// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Monitor} and {@link RecordedCall}.
 */
class MonitorTests {

	@Test
	void readsCommandsOfClients() {
		Monitor.Command command = Monitor.Command
			.parse("+1795.1 [0 127.0.0.1:40166] \"set\" \"a b\" \"[x] \\\"y\\\"\"");
		assertThat(command.inside()).isFalse();
		assertThat(command.name()).isEqualTo("SET");
		assertThat(command.parts()).containsExactly("set", "a b", "[x] \"y\"");
	}

	@Test
	void knowsCommandsInsideScripts() {
		assertThat(Monitor.Command.parse("+1795.1 [0 lua] \"TIME\"").inside()).isTrue();
	}

	@Test
	void readsEveryByte() {
		Monitor.Command command = Monitor.Command
			.parse("+1 [0 127.0.0.1:1] \"SET\" \"\\x00\\xff\\n\\r\\t\\a\\b\\\\z\"");
		assertThat(command.bytes(1)).containsExactly(0, 0xff, '\n', '\r', '\t', 7, 8, '\\', 'z');
	}

	@Test
	void repeatsACallOnlyWithAKeyItKnowsThePlaceOf() {
		Monitor.Command plain = new Monitor.Command(false, List.of("EVALSHA", "sha", "1", "ge:{k1}:f", "k1"));
		assertThat(RecordedCall.of(plain, "k1")).isNotNull();
		Monitor.Command hashed = new Monitor.Command(false, List.of("EVALSHA", "sha", "1", "ge:{%sHASH}:f", "x"));
		assertThat(RecordedCall.of(hashed, "k1")).isNotNull();
		Monitor.Command foreign = new Monitor.Command(false, List.of("EVALSHA", "sha", "1", "other", "k1"));
		assertThatIllegalArgumentException().isThrownBy(() -> RecordedCall.of(foreign, "k1"));
	}

	@Test
	void keysHaveOneLength() {
		assertThat(List.of(Keys.text(0), Keys.text(99_999), Keys.FRESH.next(0, 1, 1)))
			.allSatisfy((key) -> assertThat(key.getBytes(StandardCharsets.UTF_8)).hasSize(Keys.LENGTH));
	}

	@Test
	void callersWithKeysOfTheirOwnNeverMeet() {
		for (int i = 0; i < 1000; i++) {
			int first = Integer.parseInt(Keys.OWN.next(0, 3, 300).substring(1), 36);
			int second = Integer.parseInt(Keys.OWN.next(1, 3, 300).substring(1), 36);
			assertThat(first % 3).isZero();
			assertThat(second % 3).isOne();
		}
	}

}
