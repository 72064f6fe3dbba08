// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.test.RedisServers;
import io.ge.redis.test.Sources;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample as its users start it: packaged, processed ahead of time, and by the command
 * of the README. Each pattern answers there; what it answers in detail is tested with the
 * classes.
 */
@Tag("packaged")
@Wide
class PackagedSampleIntegrationTests {

	/** What it answers when Redis is slow is not tried here. */
	private static final String PATIENT = "ge.redis.outage.command-timeout=10s";

	private static final Pattern README_COMMAND = Pattern.compile("(?m)^mvn (-pl sample-app [^#]*?)\\s*(#.*)?$");

	@Test
	void packaged() {
		try (DeskProcess desk = DeskProcess.run((arguments) -> jar(List.of(), arguments), List.of(PATIENT))) {
			assertEveryPatternAnswers(desk);
		}
	}

	/**
	 * What is processed ahead of time has no Redis of its own, see docs/native.md.
	 */
	@Test
	void processedAheadOfTime() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			List<String> properties = new ArrayList<>(List.of(redis.properties()));
			properties.addAll(List.of(PATIENT, "logging.level.io.ge.redis.sample=info"));
			try (DeskProcess desk = DeskProcess.run((arguments) -> jar(List.of("-Dspring.aot.enabled=true"), arguments),
					properties)) {
				assertThat(desk.log()).contains("Starting AOT-processed SampleApplication");
				assertEveryPatternAnswers(desk);
			}
		}
	}

	@Test
	void startedByTheCommandOfTheReadme() throws IOException {
		Matcher command = README_COMMAND.matcher(Files.readString(Sources.ROOT.resolve("README.md")));
		assertThat(command.find()).isTrue();
		try (DeskProcess desk = DeskProcess.run((arguments) -> {
			List<String> all = new ArrayList<>(List.of(property("ge.sample.maven"), "-B", "-ntp",
					"-Dmaven.repo.local=" + property("ge.sample.repository")));
			all.addAll(List.of(command.group(1).split(" ")));
			all.add("-Dspring-boot.run.arguments=" + String.join(" ", arguments));
			return all;
		}, List.of(PATIENT))) {
			assertEveryPatternAnswers(desk);
		}
	}

	private static List<String> jar(List<String> options, List<String> arguments) {
		List<String> command = new ArrayList<>(List.of(DeskProcess.JAVA));
		command.addAll(options);
		command.addAll(List.of("-jar", property("ge.sample.jar")));
		command.addAll(arguments);
		return command;
	}

	private static String property(String name) {
		String value = System.getProperty(name);
		assertThat(value).as(name).isNotBlank();
		return value;
	}

	private static void assertEveryPatternAnswers(DeskClient desk) {
		for (int i = 0; i < 10; i++) {
			assertThat(submit(desk)).returns(202, Answer::status);
		}
		assertThat(submit(desk)).returns(429, Answer::status)
			.satisfies((refused) -> assertThat(refused.header("Retry-After")).matches("[0-9]+"));
		Answer sold = sell(desk);
		assertThat(sold).returns(201, Answer::status);
		assertThat(sell(desk)).returns(201, Answer::status)
			.returns(sold.body(), Answer::body)
			.returns("true", (replayed) -> replayed.header("Idempotent-Replayed"));
		assertThat(desk.get("/api/positions/p-1").text("sales")).isEqualTo("1");
		assertThat(desk.post("/api/agents/smoke/run?millis=0", null).json().has("fencingToken")).isTrue();
		for (String expected : List.of("miss", "hit")) {
			assertThat(desk.get("/api/wallets/w-1/balances/SOL")).returns(200, Answer::status)
				.returns(expected, (balance) -> balance.header("X-Cache"));
		}
		String[] token = { "Authorization", "Bearer " + desk.login("anna") };
		assertThat(desk.get("/api/me", token).text("subject")).isEqualTo("anna");
		assertThat(desk.post("/api/auth/logout", null, token)).returns(204, Answer::status);
		assertThat(desk.get("/api/me", token)).returns(401, Answer::status)
			.satisfies((refused) -> assertThat(refused.header("WWW-Authenticate")).startsWith("Bearer"));
		for (String duplicate : List.of("false", "true")) {
			assertThat(desk.post("/api/triggers/core/planner",
					"{\"workItem\":\"w-1\",\"triggeredBy\":\"smoke\",\"reason\":\"packaged\"}"))
				.returns(202, Answer::status)
				.returns(duplicate, (triggered) -> triggered.text("duplicate"));
		}
		assertThat(desk.post("/api/jobs", "{\"type\":\"copy\",\"payload\":1}")).returns(202, Answer::status);
		assertThat(desk.post("/api/system/halt", null)).returns(204, Answer::status);
		assertThat(desk.get("/api/system/status").json().has("halted")).isTrue();
		assertThat(desk.post("/api/sessions/s-1/history", "{\"agent\":\"smoke\",\"text\":\"hello\"}").text("version"))
			.isEqualTo("1");
		assertThat(desk.post("/api/agents/smoke/completions", null).text("rank")).isEqualTo("1");
		assertThat(desk.post("/api/visits", "{\"visitor\":\"smoke\"}")).returns(204, Answer::status);
		assertThat(desk.get("/api/visits").text("unique")).isEqualTo("1");
		assertThat(desk.post("/api/mails", "{\"address\":\"smoke@desk.example\"}").text("sent")).isEqualTo("true");
		assertThat(desk.put("/api/desks/smoke", "{\"longitude\":13.4,\"latitude\":52.5}")).returns(204, Answer::status);
		assertThat(desk.get("/api/desks?longitude=13&latitude=52&radiusKm=100").body()).contains("smoke");
		assertThat(desk.put("/api/agents/smoke/state", "{\"status\":\"idle\"}")).returns(204, Answer::status);
		assertThat(desk.get("/api/agents/smoke/state").body()).isEqualTo("{\"status\":\"idle\"}");
		assertThat(desk.get("/actuator/health").text("status")).isEqualTo("UP");
		assertThat(desk.get("/actuator/geredis").body()).contains("RateLimited");
		assertThat(desk.get("/actuator/prometheus").body()).contains("ge_redis_ratelimit_requests_total");
	}

	private static Answer submit(DeskClient desk) {
		return desk.post("/api/agents/smoke/tasks", "{\"workItemId\":\"w-1\",\"payload\":{}}");
	}

	private static Answer sell(DeskClient desk) {
		return desk.post("/api/positions/p-1/sell", "{\"quantity\":1}", "Idempotency-Key", "smoke");
	}

}
