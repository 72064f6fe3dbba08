// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code /api/sessions/{id}}, on two instances.
 */
class SharedStateIntegrationTests extends TwoDesks {

	private static final String SESSION = "/api/sessions/101";

	private static final String PLAN = SESSION + "/fields/plan";

	@Test
	void sessionIsTheSameOnAllInstances() {
		assertThat(this.desk.get(SESSION)).satisfies((answer) -> assertProblem(answer, 404));
		assertThat(say(this.desk, "A", "found it").body()).isEqualTo("{\"version\":1}");
		assertThat(this.desk.put(PLAN, "{\"goal\":\"search\"}").body()).isEqualTo("{\"version\":2}");
		assertThat(say(other, "B", "thanks").body()).isEqualTo("{\"version\":3}");
		for (Desk each : List.of(this.desk, other)) {
			assertThat(each.get(SESSION).body()).isEqualTo("{\"version\":3,\"fields\":{\"plan\":{\"goal\":\"search\"}},"
					+ "\"history\":[{\"agent\":\"A\",\"text\":\"found it\"},{\"agent\":\"B\",\"text\":\"thanks\"}],"
					+ "\"members\":[\"A\",\"B\"]}");
		}
		assertThat(other.get("/api/sessions/102").status()).isEqualTo(404);
	}

	@Test
	void sessionWithoutHistoryHasAnEmptyOne() {
		this.desk.put(PLAN, "1");
		assertThat(this.desk.get(SESSION).body())
			.isEqualTo("{\"version\":1,\"fields\":{\"plan\":1},\"history\":[],\"members\":[]}");
	}

	@Test
	void nothingIsLostThatIsSaidAtOnce() {
		List<Answer> answers = DeskClient.parallel(40,
				(number) -> say((number % 2 == 0) ? this.desk : other, "agent-" + number % 5, "text " + number));
		assertThat(answers).extracting((answer) -> answer.json().path("version").asLong())
			.containsExactlyInAnyOrderElementsOf(LongStream.rangeClosed(1, 40).boxed().toList());
		JsonNode session = this.desk.get(SESSION).json();
		assertThat(session.path("version").asLong()).isEqualTo(40);
		List<String> texts = new ArrayList<>();
		session.path("history").forEach((entry) -> texts.add(entry.path("text").asString()));
		assertThat(texts).containsExactlyInAnyOrderElementsOf(
				IntStream.range(0, 40).mapToObj((number) -> "text " + number).toList());
		assertThat(session.path("members").size()).isEqualTo(5);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\u00fc \uD83D\uDE00", "\\\"\\n\\u0000" })
	void anythingCanBeSaid(String text) {
		assertThat(say(this.desk, "A", text).status()).isEqualTo(200);
		String said = other.get(SESSION).json().path("history").get(0).path("text").asString();
		assertThat(said).isEqualTo(JsonMapper.shared().readValue("\"" + text + "\"", String.class));
	}

	@Test
	void halfOfASurrogatePairIsRefused() {
		assertProblem(say(this.desk, "A", "\\ud800"), 400);
	}

	@Test
	void fieldIsSetIfItHasTheVersionThatWasRead() {
		assertThat(put("\"0\"", "1").body()).isEqualTo("{\"version\":1}");
		assertThat(put("\"1\"", "2").body()).isEqualTo("{\"version\":2}");
		Answer refused = put("\"1\"", "3");
		assertProblem(refused, 412);
		assertThat(refused.json().path("version").asLong()).isEqualTo(2);
		assertThat(put("\"0\"", "3").json().path("version").asLong()).isEqualTo(2);
		assertThat(this.desk.get(SESSION).json().path("fields")).hasToString("{\"plan\":2}");
		// Another field has no part in it
		say(other, "A", "hello");
		assertThat(put("\"2\"", "4").body()).isEqualTo("{\"version\":4}");
	}

	@Test
	void oneOfManyWritersOfAVersionSucceeds() {
		this.desk.put(PLAN, "0");
		List<Answer> answers = DeskClient.parallel(20, (number) -> ((number % 2 == 0) ? this.desk : other).put(PLAN,
				String.valueOf(number), "If-Match", "\"1\""));
		assertThat(DeskClient.withStatus(answers, 200)).singleElement().returns("{\"version\":2}", Answer::body);
		assertThat(DeskClient.withStatus(answers, 412)).hasSize(19)
			.allMatch((answer) -> answer.json().path("version").asLong() == 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "null", "true", "\"text\"", "[]", "[1,{\"a\":[]}]", "{}", "{\"a\":null}", "0.10",
			"123456789012345678901234567890", "0.1234567890123456789", "\"\\u0000\"" })
	void fieldMayBeAnyJsonValue(String value) {
		assertThat(this.desk.put(PLAN, value).status()).isEqualTo(200);
		assertThat(other.get(SESSION).body()).contains("\"fields\":{\"plan\":" + value + "}");
	}

	@Test
	void valueMayBeAsDeepAsItCanBeRead() {
		String deepest = "[".repeat(500) + "]".repeat(500);
		assertThat(this.desk.put(PLAN, deepest).status()).isEqualTo(200);
		assertThat(this.desk.get(SESSION).body()).contains(deepest);
		assertProblem(this.desk.put(PLAN, "[".repeat(5000) + "]".repeat(5000)), 400);
	}

	@Test
	void historyIsNoFieldToBeSet() {
		say(this.desk, "A", "hello");
		assertProblem(this.desk.put(SESSION + "/fields/history", "[]", "If-Match", "\"1\""), 400);
		assertProblem(this.desk.put(SESSION + "/fields/history", "1"), 400);
		say(this.desk, "A", "hello again");
		assertThat(this.desk.get(SESSION).json().path("history").size()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1", "W/\"1\"", "*", "\"\"", "\"-1\"", "\"1.0\"", "\"one\"", "\"1\", \"2\"",
			"\"1234567890123456789\"" })
	void refusesWhatIsNoVersion(String ifMatch) {
		this.desk.put(PLAN, "1");
		assertProblem(put(ifMatch, "2"), 400);
		assertThat(this.desk.get(SESSION).json().path("version").asLong()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{", "[]", "{}", "1", "null", "{\"agent\":\"A\"}", "{\"text\":\"hello\"}",
			"{\"agent\":\"\",\"text\":\"hello\"}", "{\"agent\":\"a{b}\",\"text\":\"hello\"}",
			"{\"agent\":\"a:b\",\"text\":\"hello\"}", "{\"agent\":\"a\\u0000b\",\"text\":\"hello\"}",
			"{\"agent\":\"A\",\"text\":{}}" })
	void refusesWhatIsNoEntry(String entry) {
		assertProblem(this.desk.post(SESSION + "/history", entry), 400);
		assertThat(this.desk.get(SESSION).status()).isEqualTo(404);
	}

	@ParameterizedTest
	@CsvSource({ "%7B101%7D, plan", "a:b, plan", "101, %7Bplan%7D", "101, a:b", "LONG, plan", "101, LONG" })
	void refusesNamesThatAreNone(String session, String field) {
		String path = "/api/sessions/" + session.replace("LONG", "x".repeat(201));
		assertProblem(this.desk.put(path + "/fields/" + field.replace("LONG", "x".repeat(201)), "1"), 400);
		assertProblem(
				this.desk.put(path + "/fields/" + field.replace("LONG", "x".repeat(201)), "1", "If-Match", "\"0\""),
				400);
		if (!session.equals("101")) {
			assertProblem(this.desk.get(path), 400);
			assertProblem(this.desk.post(path + "/history", "{\"agent\":\"A\",\"text\":\"hello\"}"), 400);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{", "NaN", "1 2", "text" })
	void refusesWhatIsNoJson(String value) {
		assertProblem(this.desk.put(PLAN, value), 400);
		assertThat(this.desk.get(SESSION).status()).isEqualTo(404);
	}

	@Test
	void refusesValuesThatAreTooLarge() {
		String large = "\"" + "x".repeat(1 << 20) + "\"";
		assertProblem(this.desk.put(PLAN, large), 400);
		assertProblem(this.desk.post(SESSION + "/history", "{\"agent\":\"A\",\"text\":" + large + "}"), 400);
		assertThat(this.desk.get(SESSION).status()).isEqualTo(404);
	}

	private static Answer say(Desk desk, String agent, String text) {
		return desk.post(SESSION + "/history", "{\"agent\":\"" + agent + "\",\"text\":\"" + text + "\"}");
	}

	private Answer put(String ifMatch, String value) {
		return this.desk.put(PLAN, value, "If-Match", ifMatch);
	}

}
