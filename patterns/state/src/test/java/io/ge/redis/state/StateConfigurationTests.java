// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.BindException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Mistakes in properties are refused, and the messages say what to write.
 */
class StateConfigurationTests {

	@Test
	void refusesPropertiesThatCannotWork() {
		refuses("ttl must be at least 1s", "ttl", "10ms");
		refuses("max-value-size must be from 1B to 512MB", "max-value-size", "1GB");
		refuses("max-value-size must be from 1B to 512MB", "max-value-size", "0B");
		refuses("max-list-length must be at least 1, was 0", "max-list-length", "0");
		refuses("changes-kept must be at least 1, was 0", "changes-kept", "0");
		refuses("update-attempts must be at least 1, was 0", "update-attempts", "0");
		refuses("member-ttl must be from 1ms to ttl", "member-ttl", "2d");
		refuses("member-ttl must be from 1ms to ttl", "member-ttl", "0s");
	}

	private static void refuses(String problem, String... properties) {
		assertThatExceptionOfType(BindException.class).isThrownBy(() -> StateInstance.properties(properties))
			.havingRootCause()
			.withMessageContaining("ge.redis.state." + problem);
	}

	@Test
	void forgetsWhatIsWrittenWhereStateIsSwitchedOff() {
		Workspace workspace = Workspaces.unguarded().open("session", "101");
		assertThat(workspace.put("plan", 1)).isZero();
		assertThat(workspace.compareAndSet("plan", 3, 1)).isEqualTo(new WriteResult(true, 0));
		assertThat(workspace.update("plan", Integer.class, (plan) -> 2)).isEqualTo(2);
		assertThat(workspace.snapshot().fields()).isEmpty();
		assertThat(workspace.members()).isEmpty();
		workspace.remember("A", "draft", 1);
		assertThat(workspace.memory("A").fields()).isEmpty();
		assertThat(workspace.move("A", "draft").applied()).isFalse();
	}

}
