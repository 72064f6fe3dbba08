// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for the endpoints on leaderboards, unique counters, Bloom filters, geo indexes
 * and hash stores, on two instances.
 */
class StructureIntegrationTests extends TwoDesks {

	private static final String STATE = "/api/agents/alpha/state";

	private static final String LONG = "x".repeat(201);

	@Test
	void agentsAreRankedByWhatTheyHaveCompleted() {
		assertThat(this.desk.get("/api/leaderboard").body()).isEqualTo("[]");
		assertThat(complete(this.desk, "alpha")).isEqualTo(ranked("alpha", 1, 1));
		assertThat(complete(other, "beta")).isEqualTo(ranked("beta", 1, 2));
		assertThat(complete(this.desk, "beta")).isEqualTo(ranked("beta", 2, 1));
		assertThat(complete(other, "%7Bgamma%7D")).isEqualTo(ranked("{gamma}", 1, 3));
		String all = "[" + ranked("beta", 2, 1) + "," + ranked("alpha", 1, 2) + "," + ranked("{gamma}", 1, 3) + "]";
		assertThat(this.desk.get("/api/leaderboard").body()).isEqualTo(all);
		assertThat(other.get("/api/leaderboard?top=1000").body()).isEqualTo(all);
		assertThat(other.get("/api/leaderboard?top=1").body()).isEqualTo("[" + ranked("beta", 2, 1) + "]");
		assertThat(other.get("/api/leaderboard/alpha").body()).isEqualTo(all);
		assertThat(other.get("/api/leaderboard/alpha?around=0").body()).isEqualTo("[" + ranked("alpha", 1, 2) + "]");
		assertThat(this.desk.get("/api/leaderboard/%7Bgamma%7D?around=1").body())
			.isEqualTo("[" + ranked("alpha", 1, 2) + "," + ranked("{gamma}", 1, 3) + "]");
		assertProblem(this.desk.get("/api/leaderboard/delta"), 404);
	}

	@Test
	void completionsAtOnceAllCount() {
		List<Answer> answers = DeskClient.parallel(40,
				(number) -> ((number % 2 == 0) ? this.desk : other).post("/api/agents/alpha/completions", null));
		assertThat(answers).extracting((answer) -> answer.json().path("completed").asLong())
			.containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 40).boxed().toList());
	}

	@ParameterizedTest
	@ValueSource(strings = { "?top=0", "?top=-1", "?top=1001", "?top=many", "?top=1e1", "?top=99999999999",
			"/alpha?around=-1", "/alpha?around=1001", "/alpha?around=NaN" })
	void refusesNumbersOfAgentsThatAreOutOfRange(String path) {
		complete(this.desk, "alpha");
		assertProblem(this.desk.get("/api/leaderboard" + path), 400);
	}

	@Test
	void visitorsCountOnce() {
		assertThat(this.desk.get("/api/visits").body()).isEqualTo("{\"unique\":0}");
		for (String visitor : List.of("anna", "boris", "anna")) {
			assertThat(this.desk.post("/api/visits", "{\"visitor\":\"" + visitor + "\"}").status()).isEqualTo(204);
		}
		assertThat(other.post("/api/visits", "{\"visitor\":\"boris\"}").status()).isEqualTo(204);
		assertThat(other.post("/api/visits", "{\"visitor\":\"clara\"}").status()).isEqualTo(204);
		assertThat(this.desk.get("/api/visits?days=7").body()).isEqualTo("{\"unique\":3}");
		assertThat(other.get("/api/visits?days=366").body()).isEqualTo("{\"unique\":3}");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "367", "NaN", "week" })
	void refusesDaysThatAreOutOfRange(String days) {
		assertProblem(this.desk.get("/api/visits?days=" + days), 400);
	}

	@Test
	void mailIsSentOnce() {
		assertThat(this.desk.post("/api/mails", "{\"address\":\"anna@desk.example\"}").body())
			.isEqualTo("{\"sent\":true}");
		assertThat(this.desk.post("/api/mails", "{\"address\":\"anna@desk.example\"}").body())
			.isEqualTo("{\"sent\":false}");
		assertThat(other.post("/api/mails", "{\"address\":\"anna@desk.example\"}").body())
			.isEqualTo("{\"sent\":false}");
		assertThat(other.post("/api/mails", "{\"address\":\"boris@desk.example\"}").body())
			.isEqualTo("{\"sent\":true}");
		List<Answer> answers = DeskClient.parallel(20, (number) -> ((number % 2 == 0) ? this.desk : other)
			.post("/api/mails", "{\"address\":\"clara@desk.example\"}"));
		assertThat(answers).filteredOn((answer) -> answer.body().equals("{\"sent\":true}")).hasSize(1);
	}

	@Test
	void nearestDeskIsTheFirst() {
		assertThat(near(this.desk, "11.58", "48.14", "1000").body()).isEqualTo("[]");
		assertThat(place(this.desk, "paris", "2.3522", "48.8566").status()).isEqualTo(204);
		assertThat(place(other, "berlin", "13.405", "52.52").status()).isEqualTo(204);
		assertThat(place(other, "sydney", "151.2093", "-33.8688").status()).isEqualTo(204);
		for (Desk each : List.of(this.desk, other)) {
			assertThat(names(near(each, "11.58", "48.14", "1000"))).containsExactly("berlin", "paris");
			assertThat(names(near(each, "11.58", "48.14", "25000"))).containsExactly("berlin", "paris", "sydney");
			assertThat(names(near(each, "11.58", "48.14", "600"))).containsExactly("berlin");
		}
		assertThat(near(other, "11.58", "48.14", "600").json().get(0).path("km").asDouble()).isCloseTo(503,
				within(5.0));
		place(this.desk, "berlin", "11.58", "48.14");
		assertThat(near(other, "11.58", "48.14", "1").json().get(0).path("km").asDouble()).isCloseTo(0, within(0.01));
		assertThat(names(near(other, "13.405", "52.52", "1"))).isEmpty();
	}

	@Test
	void refusesPlacesThatAreNone() {
		for (String[] at : new String[][] { { "180.1", "0" }, { "-181", "0" }, { "0", "85.1" }, { "0", "-90" },
				{ "1e400", "0" }, { "0", "\"NaN\"" }, { "NaN", "0" }, { "null", "0" }, { "0", "null" }, { "[]", "0" },
				{ "\"\"", "0" }, { "true", "0" } }) {
			assertProblem(place(this.desk, "berlin", at[0], at[1]), 400);
		}
		for (String body : List.of("", "{", "{}", "[]", "null", "{\"longitude\":1}", "{\"lon\":1,\"lat\":1}")) {
			assertProblem(this.desk.put("/api/desks/berlin", body), 400);
		}
		assertProblem(place(this.desk, LONG, "1", "1"), 400);
		for (String[] area : new String[][] { { "180.1", "0", "1" }, { "0", "86", "1" }, { "NaN", "0", "1" },
				{ "0", "0", "NaN" }, { "0", "0", "-1" }, { "0", "0", "25001" }, { "0", "0", "Infinity" },
				{ "0", "0", "far" }, { "", "0", "1" } }) {
			assertProblem(near(this.desk, area[0], area[1], area[2]), 400);
		}
		assertProblem(this.desk.get("/api/desks?longitude=0&latitude=0"), 400);
		assertProblem(this.desk.get("/api/desks"), 400);
	}

	@Test
	void stateIsReadAndWrittenByField() {
		assertProblem(this.desk.get(STATE), 404);
		assertProblem(this.desk.get(STATE + "?fields=status"), 404);
		assertThat(this.desk.put(STATE, "{\"status\":\"working\",\"currentTask\":{\"id\":1.10},\"steps\":3}").status())
			.isEqualTo(204);
		assertThat(other.get(STATE + "?fields=status,currentTask").body())
			.isEqualTo("{\"status\":\"working\",\"currentTask\":{\"id\":1.10}}");
		assertThat(other.put(STATE, "{\"status\":\"idle\",\"currentTask\":null}").status()).isEqualTo(204);
		assertThat(this.desk.get(STATE).body()).isIn("{\"status\":\"idle\",\"steps\":3}",
				"{\"steps\":3,\"status\":\"idle\"}");
		assertThat(this.desk.get(STATE + "?fields=mood").body()).isEqualTo("{}");
		assertThat(this.desk.get("/api/agents/beta/state").status()).isEqualTo(404);
	}

	@Test
	void refusesStatesThatAreNone() {
		for (String body : List.of("", "{", "{}", "[]", "1", "null", "{\"" + LONG + "\":1}", "{\"\":1}",
				"{\"a\":\"" + "x".repeat(1 << 16) + "\"}")) {
			assertProblem(this.desk.put(STATE, body), 400);
		}
		for (String agent : List.of("%7Balpha%7D", "a:b", LONG)) {
			assertProblem(this.desk.put("/api/agents/" + agent + "/state", "{\"status\":\"idle\"}"), 400);
			assertProblem(this.desk.get("/api/agents/" + agent + "/state"), 400);
		}
		this.desk.put(STATE, "{\"status\":\"idle\"}");
		assertProblem(this.desk.get(STATE + "?fields=status,,steps"), 400);
		assertProblem(this.desk.get(STATE + "?fields=" + LONG), 400);
	}

	@Test
	void refusesNamesThatAreNone() {
		assertProblem(this.desk.post("/api/agents/" + LONG + "/completions", null), 400);
		assertProblem(this.desk.get("/api/leaderboard/" + LONG), 400);
		assertProblem(this.desk.post("/api/visits", "{\"visitor\":\"" + LONG + "\"}"), 400);
		for (String body : List.of("", "{", "[]", "{}", "null", "1", "{\"visitor\":null}", "{\"visitor\":\" \"}",
				"{\"visitor\":{}}", "{\"address\":[]}", "{\"address\":\"\"}")) {
			assertProblem(this.desk.post("/api/visits", body), 400);
			assertProblem(this.desk.post("/api/mails", body), 400);
		}
	}

	private static String complete(Desk desk, String agent) {
		Answer answer = desk.post("/api/agents/" + agent + "/completions", null);
		assertThat(answer.status()).isEqualTo(200);
		return answer.body();
	}

	private static String ranked(String agent, long completed, long rank) {
		return "{\"agent\":\"%s\",\"completed\":%d,\"rank\":%d}".formatted(agent, completed, rank);
	}

	private static Answer place(Desk desk, String name, String longitude, String latitude) {
		return desk.put("/api/desks/" + name, "{\"longitude\":" + longitude + ",\"latitude\":" + latitude + "}");
	}

	private static Answer near(Desk desk, String longitude, String latitude, String radiusKm) {
		return desk.get("/api/desks?longitude=" + longitude + "&latitude=" + latitude + "&radiusKm=" + radiusKm);
	}

	private static List<String> names(Answer answer) {
		List<String> names = new ArrayList<>();
		answer.json().forEach((desk) -> names.add(desk.path("name").asString()));
		return names;
	}

}
