// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for triggers of agents: {@code /api/triggers} and {@code /api/work}.
 */
class TriggerIntegrationTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	@Test
	void worksOnATriggerOnceHoweverOftenItIsSent() {
		Desk desk = SharedDesk.fresh(Database.H2);
		Answer first = trigger(desk, "core/planner", "w-1", null);
		assertThat(first.status()).isEqualTo(202);
		assertThat(first.json().path("duplicate").asBoolean()).isFalse();
		assertThat(first.text("triggerId")).isNotBlank();
		Answer second = trigger(desk, "core/planner", "w-1", null);
		assertThat(second.status()).isEqualTo(202);
		assertThat(second.json().path("duplicate").asBoolean()).isTrue();
		assertThat(second.text("triggerId")).isEqualTo(first.text("triggerId"));
		assertThat(second.text("messageId")).isEqualTo(first.text("messageId"));
		Awaitility.await().atMost(SOON).until(() -> completed(desk, "planner").equals(List.of("w-1")));
		JsonNode done = desk.get("/api/work/completed?agent=planner").json().get(0);
		assertThat(done.path("attempts").asInt()).isEqualTo(1);
		assertThat(done.path("instance").asString()).isNotBlank();
		assertThat(done.path("completedAt").asString()).isNotBlank();
	}

	@Test
	void refusesUnknownAgentsLongChainsAndWhatIsNoWorkItem() {
		Desk desk = SharedDesk.fresh(Database.H2);
		assertThat(trigger(desk, "core/gardener", "w-1", null).status()).isEqualTo(404);
		assertThat(trigger(desk, "sales/planner", "w-1", null).status()).isEqualTo(404);
		assertThat(trigger(desk, "core/planner", "w-1", null, "X-Hook-Depth", "4").status()).isEqualTo(422);
		assertThat(trigger(desk, "core/planner", "w-1", null, "X-Hook-Depth", "3").status()).isEqualTo(202);
		assertThat(trigger(desk, "core/planner", "", null).status()).isEqualTo(400);
		assertThat(desk.post("/api/triggers/core/planner", "{\"workItem\":\"w-2\",\"context\":\"in words\"}").status())
			.isEqualTo(202);
		assertThat(desk.post("/api/triggers/core/planner", "{\"workItem\":\"w-7\"}").status()).isEqualTo(202);
	}

	@Test
	void poisonBecomesADeadLetterAfterThreeDeliveriesAndCanBeReplayed() {
		Desk desk = SharedDesk.fresh(Database.H2);
		String id = trigger(desk, "core/coder", "w-2", "poison").text("messageId");
		JsonNode letter = awaitDeadLetter(desk, "w-2");
		assertThat(letter.path("agent").asString()).isEqualTo("coder");
		assertThat(letter.path("deliveries").asInt()).isEqualTo(3);
		assertThat(letter.path("reason").asString()).contains("poison");
		assertThat(desk.post("/api/triggers/dead-letters/" + id + "/replay", null).status()).isEqualTo(202);
		assertThat(desk.post("/api/triggers/dead-letters/" + id + "/replay", null).status()).isEqualTo(404);
		String again = awaitDeadLetter(desk, "w-2").path("messageId").asString();
		assertThat(again).isNotEqualTo(id);
		assertThat(completed(desk, "coder")).isEmpty();
	}

	@Test
	void refusesWhatAFullStreamHasNoRoomFor() {
		Desk desk = SharedDesk.fresh(Database.H2);
		try {
			halt(desk, true);
			for (int i = 0; i < 100; i++) {
				assertThat(trigger(desk, "web/reviewer", "w-" + i, null).status()).isEqualTo(202);
			}
			Answer refused = trigger(desk, "web/reviewer", "w-100", null);
			assertThat(refused.status()).isEqualTo(503);
			assertThat(refused.header("Retry-After")).isNotNull();
			assertThat(completed(desk, "reviewer")).isEmpty();
		}
		finally {
			halt(desk, false);
		}
		Awaitility.await().atMost(SOON).until(() -> completed(desk, "reviewer").size() == 100);
	}

	@Test
	void haltedAgentsTakeNothingAndLoseNothing() {
		Desk desk = SharedDesk.fresh(Database.H2);
		try {
			halt(desk, true);
			trigger(desk, "core/planner", "w-3", null);
			Awaitility.await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
			assertThat(completed(desk, "planner")).isEmpty();
		}
		finally {
			halt(desk, false);
		}
		Awaitility.await().atMost(SOON).until(() -> completed(desk, "planner").equals(List.of("w-3")));
	}

	@Test
	@Wide
	void instanceThatIsStartedWhileAllAreHaltedTakesNothing() {
		Desk desk = SharedDesk.fresh(Database.H2);
		try {
			halt(desk, true);
			trigger(desk, "core/planner", "w-3", null);
			try (Desk later = Desk.start(SharedDesk.properties(Database.H2))) {
				awaitHalted(later, true);
				trigger(later, "core/planner", "w-4", null);
				Awaitility.await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
				assertThat(completed(desk, "planner")).isEmpty();
			}
		}
		finally {
			halt(desk, false);
		}
		Awaitility.await()
			.atMost(SOON)
			.untilAsserted(() -> assertThat(completed(desk, "planner")).containsExactlyInAnyOrder("w-3", "w-4"));
	}

	@Test
	@Wide
	void triggerOfAnInstanceThatDiesIsWorkedOnByAnother() {
		// On a Redis of their own: the crash is not for the instance of this JVM
		try (StandaloneRedis redis = RedisServers.standalone();
				DeskProcess dying = DeskProcess.start(SharedDesk.properties(Database.POSTGRES, redis));
				DeskProcess other = DeskProcess.start(SharedDesk.properties(Database.POSTGRES, redis))) {
			Database.POSTGRES.reset();
			trigger(other, "core/planner", "w-6", "slow:2000");
			try {
				trigger(other, "core/planner", "w-5", "crash");
			}
			catch (IllegalStateException ex) {
				// It has died before it could answer
			}
			// Which of the two has taken it and is gone, nobody knows
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(Database.POSTGRES.jdbc()
					.sql("select work_item from completed_work order by work_item")
					.query(String.class)
					.list()).containsExactly("w-5", "w-6"));
		}
	}

	private static void halt(Desk desk, boolean halted) {
		assertThat(desk.post("/api/system/" + (halted ? "halt" : "resume"), null).status()).isEqualTo(204);
		awaitHalted(desk, halted);
	}

	private static void awaitHalted(Desk desk, boolean halted) {
		Awaitility.await()
			.atMost(SOON)
			.until(() -> desk.get("/api/system/status").json().path("halted").asBoolean() == halted);
	}

	private static JsonNode awaitDeadLetter(Desk desk, String workItem) {
		JsonNode[] found = new JsonNode[1];
		Awaitility.await().atMost(SOON).until(() -> {
			desk.get("/api/triggers/dead-letters").json().forEach((letter) -> {
				if (letter.path("workItem").asString().equals(workItem)) {
					found[0] = letter;
				}
			});
			return found[0] != null;
		});
		return found[0];
	}

	private static List<String> completed(Desk desk, String agent) {
		List<String> items = new ArrayList<>();
		desk.get("/api/work/completed?agent=" + agent)
			.json()
			.forEach((item) -> items.add(item.path("workItem").asString()));
		return items;
	}

	private static Answer trigger(DeskClient desk, String agent, String workItem, String reason, String... headers) {
		return desk.post("/api/triggers/" + agent,
				"{\"workItem\":\"" + workItem + "\",\"context\":{\"project\":\"p-1\"},\"triggeredBy\":\"anna\""
						+ ((reason != null) ? ",\"reason\":\"" + reason + "\"}" : "}"),
				headers);
	}

}
