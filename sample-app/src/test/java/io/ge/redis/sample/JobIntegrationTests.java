// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code /api/jobs}.
 */
class JobIntegrationTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	@Test
	void jobIsDoneAndItsResultKept() {
		Desk desk = SharedDesk.fresh(Database.H2);
		String id = enqueue(desk, "{\"type\":\"copy\",\"payload\":{\"a\":[1,2]},\"priority\":9}");
		Answer done = await(desk, id, "done");
		assertThat(done.json().path("attempts").asInt()).isEqualTo(1);
		assertThat(done.json().path("result")).hasToString("{\"a\":[1,2]}");
	}

	@Test
	void jobThatFailsAlwaysFailsAfterThreeAttempts() {
		Desk desk = SharedDesk.fresh(Database.H2);
		Answer failed = await(desk, enqueue(desk, "{\"type\":\"poison\"}"), "failed");
		assertThat(failed.json().path("attempts").asInt()).isEqualTo(3);
	}

	@Test
	void jobWaitsForItsDelay() {
		Desk desk = SharedDesk.fresh(Database.H2);
		String id = enqueue(desk, "{\"type\":\"copy\",\"delayMillis\":600000}");
		assertThat(desk.get("/api/jobs/" + id).text("status")).isEqualTo("queued");
		await(desk, enqueue(desk, "{\"type\":\"copy\",\"delayMillis\":100}"), "done");
		assertThat(desk.get("/api/jobs/" + id).text("status")).isEqualTo("queued");
	}

	@Test
	void refusesWhatIsNoJob() {
		Desk desk = SharedDesk.fresh(Database.H2);
		assertThat(desk.get("/api/jobs/unknown").status()).isEqualTo(404);
		assertThat(desk.post("/api/jobs", "{\"type\":\"copy\",\"priority\":10}").status()).isEqualTo(400);
		assertThat(desk.post("/api/jobs", "{\"type\":\"copy\",\"delayMillis\":-1}").status()).isEqualTo(400);
		assertThat(desk.post("/api/jobs", "{\"payload\":1}").status()).isEqualTo(400);
	}

	private static String enqueue(Desk desk, String job) {
		Answer accepted = desk.post("/api/jobs", job);
		assertThat(accepted.status()).isEqualTo(202);
		return accepted.text("id");
	}

	private static Answer await(Desk desk, String id, String status) {
		Answer[] last = new Answer[1];
		Awaitility.await().atMost(SOON).until(() -> {
			last[0] = desk.get("/api/jobs/" + id);
			return status.equals(last[0].text("status"));
		});
		return last[0];
	}

}
