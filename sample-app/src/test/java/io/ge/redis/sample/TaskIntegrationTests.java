// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code POST /api/agents/{agent}/tasks}.
 */
@Tag("aot")
class TaskIntegrationTests {

	private static final String TASK = "{\"workItemId\":\"w-1\",\"payload\":{\"pair\":[\"SOL\",\"USDC\"]}}";

	private final Desk desk = SharedDesk.fresh(Database.H2);

	@Test
	void acceptsTask() {
		Answer answer = this.desk.post("/api/agents/alpha/tasks", TASK);
		assertThat(answer.status()).isEqualTo(202);
		assertThat(answer.text("taskId")).isNotBlank();
		assertThat(answer.text("agent")).isEqualTo("alpha");
		assertThat(answer.text("acceptedAt")).isNotBlank();
		assertThat(answer.header("RateLimit-Policy")).contains("\"tasks\"").contains("q=10").contains("w=60");
	}

	@Test
	void payloadMayBeAnyJsonValue() {
		for (String payload : List.of("null", "1", "\"text\"", "[]", "true", "{\"a\":null}")) {
			assertThat(this.desk.post("/api/agents/alpha/tasks", "{\"workItemId\":\"w\",\"payload\":" + payload + "}"))
				.returns(202, Answer::status);
		}
		assertThat(this.desk.post("/api/agents/alpha/tasks", "{\"workItemId\":\"w\"}")).returns(202, Answer::status);
	}

	@Test
	void acceptsExactlyTenOf200AtOnce() {
		List<Answer> answers = DeskClient.parallel(200, (number) -> this.desk.post("/api/agents/alpha/tasks", TASK));
		assertThat(DeskClient.withStatus(answers, 202)).hasSize(10);
		List<Answer> refused = DeskClient.withStatus(answers, 429);
		assertThat(refused).hasSize(190).allSatisfy((answer) -> {
			assertThat(Integer.parseInt(answer.header("Retry-After"))).isBetween(1, 60);
			assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
			assertThat(answer.text("type")).isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
			assertThat(answer.json().path("violated-policies").toString()).contains("tasks");
		});
		assertThat(this.desk.post("/api/agents/beta/tasks", TASK)).returns(202, Answer::status);
	}

	@Test
	void malformedTaskCostsNothing() {
		for (int i = 0; i < 20; i++) {
			assertThat(this.desk.post("/api/agents/alpha/tasks", "{\"payload\":1}")).returns(400, Answer::status);
		}
		assertThat(this.desk.post("/api/agents/alpha/tasks", TASK)).returns(202, Answer::status);
	}

	@Test
	@Wide
	void admitsAfterRetryAfterHasPassed() {
		List<String> properties = new ArrayList<>(SharedDesk.properties(Database.H2));
		properties.add("ge.redis.rate-limit.limits.tasks.window=5s");
		try (Desk brief = Desk.start(properties)) {
			List<Answer> answers = new ArrayList<>();
			// More than ten if the first ones are no longer of this window
			Awaitility.await()
				.pollInSameThread()
				.pollInterval(Duration.ofMillis(1))
				.atMost(Duration.ofSeconds(30))
				.until(() -> {
					answers.add(brief.post("/api/agents/brief/tasks", TASK));
					return answers.get(answers.size() - 1).status() == 429;
				});
			Answer refused = answers.remove(answers.size() - 1);
			assertThat(answers).hasSizeGreaterThanOrEqualTo(10).allMatch((answer) -> answer.status() == 202);
			Duration wait = Duration.ofSeconds(Long.parseLong(refused.header("Retry-After")));
			assertThat(wait).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
			Awaitility.await().pollDelay(wait).until(() -> true);
			assertThat(brief.post("/api/agents/brief/tasks", TASK)).returns(202, Answer::status);
		}
	}

}
