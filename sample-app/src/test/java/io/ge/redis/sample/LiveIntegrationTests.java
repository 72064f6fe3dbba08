// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what feeds the live page: {@code /api/live}.
 */
class LiveIntegrationTests {

	private static final JsonMapper MAPPER = new JsonMapper();

	private static final String EVENTS = "/api/live/events";

	private static final String DATA = "data:";

	private static final int MOST_LISTENERS = 20;

	@Test
	void figuresFollowWhatHappens() {
		Desk desk = SharedDesk.fresh(Database.H2);
		HttpResponse<Stream<String>> response = desk.listen(EVENTS);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
		try (Stream<String> lines = response.body()) {
			Iterator<JsonNode> figures = lines.filter((line) -> line.startsWith(DATA))
				.map((line) -> MAPPER.readTree(line.substring(DATA.length())))
				.iterator();
			JsonNode before = figures.next();
			desk.post("/api/agents/live/run?millis=0", null);
			JsonNode after = figures.next();
			while (after.path("locked").asLong() == before.path("locked").asLong()) {
				after = figures.next();
			}
			assertThat(after.path("scripts").asLong()).isGreaterThan(before.path("scripts").asLong());
			assertThat(after.path("agents").asString()).isEqualTo("running");
			assertThat(after.path("outage").asBoolean()).isFalse();
			assertThat(after.path("hangOffered").asBoolean()).isFalse();
			assertThat(after.path("redisPort").asInt()).isZero();
			assertThat(after.path("instance").asInt()).isBetween(1, after.path("instances").asInt());
		}
	}

	@Test
	void answersCarryTheTimeOfTheServer() {
		Desk desk = SharedDesk.fresh(Database.H2);
		assertThat(List.of(desk.get("/live.js"), desk.get("/api/system/status"), desk.get("/api/jobs/unknown"),
				desk.post("/api/system/resume", null), desk.get("/api/me"),
				desk.post("/api/agents/timed/run?millis=60", null)))
			.allSatisfy((answer) -> assertThat(answer.header("Server-Timing")).matches("app;dur=\\d+\\.\\d"))
			.last()
			.satisfies((slept) -> assertThat(Double.parseDouble(slept.header("Server-Timing").substring(8)))
				.isGreaterThanOrEqualTo(60));
	}

	@Test
	void redisOfSomebodyElseIsLeftAlone() {
		Answer answer = SharedDesk.fresh(Database.H2).post("/api/live/redis/hang", null);
		assertThat(answer.status()).isEqualTo(404);
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
	}

	@Test
	@Wide
	void numberOfListenersIsBoundedUntilSomeLeave() {
		Desk desk = SharedDesk.fresh(Database.H2);
		List<Stream<String>> listeners = new ArrayList<>();
		int status = 200;
		try {
			// One of another test may not have left yet
			while (status == 200 && listeners.size() < 2 * MOST_LISTENERS) {
				HttpResponse<Stream<String>> response = desk.listen(EVENTS);
				status = response.statusCode();
				listeners.add(response.body());
			}
		}
		finally {
			listeners.forEach(Stream::close);
		}
		assertThat(status).isEqualTo(503);
		assertThat(listeners).hasSizeGreaterThan(MOST_LISTENERS / 2);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
			HttpResponse<Stream<String>> response = desk.listen(EVENTS);
			response.body().close();
			return response.statusCode() == 200;
		});
	}

	@Test
	@Wide
	void shutdownDoesNotWaitForListeners() {
		Desk desk = Desk.start(SharedDesk.properties(Database.H2));
		try (Stream<String> lines = desk.listen(EVENTS).body()) {
			Iterator<String> iterator = lines.iterator();
			iterator.next();
			Stopwatch watch = Stopwatch.start();
			desk.close();
			assertThat(watch.elapsed()).isLessThan(Duration.ofSeconds(20));
			iterator.forEachRemaining((line) -> {
			});
		}
	}

}
