// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The desk starts and answers with the library switched off, all of it or one pattern.
 */
class SwitchedOffIntegrationTests {

	@Test
	void answersWithEverythingSwitchedOff() {
		List<String> properties = new ArrayList<>(Database.H2.properties());
		properties.addAll(List.of("ge.redis.enabled=false", "spring.data.redis.port=1"));
		try (Desk desk = Desk.start(properties)) {
			for (int i = 0; i < 12; i++) {
				assertThat(desk.post("/api/agents/alpha/tasks", "{\"workItemId\":\"w\"}")).returns(202, Answer::status);
			}
			assertThat(desk.get("/api/wallets/w-1/balances/SOL")).returns(200, Answer::status);
			assertThat(desk.post("/api/jobs", "{\"type\":\"any\"}")).returns(202, Answer::status);
			assertThat(desk.listen("/api/live/events").statusCode()).isEqualTo(200);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "rate-limit", "lock", "idempotency", "cache", "blacklist", "refresh-tokens", "stream",
			"queue", "broadcast", "session", "state", "leaderboard", "counter", "bloom", "geo", "hash", "script" })
	@Wide
	void answersWithOnePatternSwitchedOff(String pattern) {
		List<String> properties = new ArrayList<>(SharedDesk.properties(Database.H2));
		properties.add("ge.redis." + pattern + ".enabled=false");
		try (Desk desk = Desk.start(properties)) {
			assertThat(desk.listen("/api/live/events").statusCode()).isEqualTo(200);
		}
	}

}
