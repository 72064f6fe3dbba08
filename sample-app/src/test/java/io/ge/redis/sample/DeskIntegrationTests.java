// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.List;

import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what belongs to no single pattern.
 */
@Tag("aot")
class DeskIntegrationTests {

	private final Desk desk = SharedDesk.fresh(Database.H2);

	@Test
	void pageListsWhatCanBeTried() {
		Answer page = this.desk.get("/");
		assertThat(page.status()).isEqualTo(200);
		assertThat(page.header("Content-Type")).startsWith("text/html");
		assertThat(page.body()).contains("@RateLimited", "@DistributedLock", "@FencingToken", "@Idempotent",
				"@CacheAside", "@CacheWriteThrough", "@BlacklistCheck", "@RedisStreamListener", "@RedisJob",
				"@RedisBroadcastListener", "Workspaces", "Leaderboards", "HashStore", "UniqueCounters", "BloomFilters",
				"GeoIndexes", "actuator/geredis");
		assertThat(this.desk.get("/live.css")).returns(200, Answer::status);
		assertThat(this.desk.get("/live.js")).returns(200, Answer::status);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/nothing", "/api/nothing", "/api/positions", "/api/wallets/w-1", "/actuator/env" })
	void unknownPathIsNotFound(String path) {
		assertProblem(this.desk.get(path), 404);
	}

	@Test
	void malformedInputIsRefused() {
		assertProblem(this.desk.post("/api/agents/alpha/tasks", "{"), 400);
		assertProblem(this.desk.post("/api/agents/alpha/run?millis=soon", null), 400);
		assertProblem(this.desk.post("/api/agents/alpha/run?millis=-1", null), 400);
		assertProblem(this.desk.put("/api/wallets/w-1/balances/SOL?rollback=perhaps", "{\"delta\":1}"), 400);
		// Refused by the firewall of Spring Security, before any controller
		assertProblem(this.desk.post("/api/agents/a;b/tasks", "{\"workItemId\":\"w\"}"), 400);
	}

	@ParameterizedTest
	@ValueSource(strings = { "epsilon", "%7Bbeta%7D", "a:b", "two%20words", "%D0%B0%D0%B3%D0%B5%D0%BD%D1%82", "*" })
	void anyAgentNameIsValid(String agent) {
		assertThat(this.desk.post("/api/agents/" + agent + "/tasks", "{\"workItemId\":\"w\"}")).returns(202,
				Answer::status);
		assertThat(this.desk.post("/api/agents/" + agent + "/run?millis=0", null)).returns(200, Answer::status);
	}

	@Test
	void actuatorShowsTheGuards() {
		useEverything(this.desk);
		assertThat(this.desk.get("/actuator/health").text("status")).isEqualTo("UP");
		assertThat(this.desk.get("/actuator/info")).returns(200, Answer::status);
		assertThat(this.desk.get("/actuator/geredis").body()).contains("RateLimited", "DistributedLock", "Idempotent",
				"CacheAside", "CacheWriteThrough", "BlacklistCheck", "tasks", "agent-execution");
		assertThat(this.desk.get("/actuator/metrics").body()).contains("ge.redis.ratelimit.requests",
				"ge.redis.lock.acquire", "ge.redis.idempotency.requests", "ge.redis.cache.gets",
				"ge.redis.cache.writes", "ge.redis.blacklist.checks", "ge.redis.refresh.rotations", "ge.redis.script");
		assertThat(this.desk.get("/actuator/prometheus").body()).contains("ge_redis_ratelimit_requests_total");
	}

	@Test
	void everyKeyInRedisHasTtl() {
		useEverything(this.desk);
		// Messages, jobs and the last broadcast are kept until somebody has had them
		assertThat(SharedDesk.redis(Database.H2).keysWithoutTtl())
			.allMatch((key) -> key.matches("triggers\\..*|ge:(queue|broadcast):.*"));
	}

	@Test
	@Wide
	void startsWorksAndStopsWithoutWarning() {
		DeskProcess process = DeskProcess.start(SharedDesk.properties(Database.H2));
		try (process) {
			useEverything(process);
		}
		assertThat(process.log()).contains("Tomcat started").doesNotContain("WARN", "ERROR");
	}

	private static void useEverything(DeskClient desk) {
		desk.post("/api/agents/alpha/tasks", "{\"workItemId\":\"w\"}");
		desk.post("/api/agents/alpha/run?millis=0", null);
		desk.post("/api/positions/p-1/sell", "{\"quantity\":1}", "Idempotency-Key", "key-1");
		desk.get("/api/wallets/w-1/balances/SOL");
		desk.put("/api/wallets/w-1/balances/SOL", "{\"delta\":1}");
		String token = desk.login("anna");
		desk.get("/api/me", "Authorization", "Bearer " + token);
		desk.post("/api/auth/logout", null, "Authorization", "Bearer " + token);
		desk.post("/api/auth/refresh", "{\"refreshToken\":\"nonsense\"}");
		desk.post("/api/auth/logout-all", null, "Authorization", "Bearer " + desk.login("boris"));
		desk.post("/api/triggers/core/planner", "{\"workItem\":\"w\"}");
		desk.post("/api/jobs", "{\"type\":\"report\"}");
		desk.post("/api/jobs", "{\"type\":\"report\",\"delayMillis\":60000}");
		desk.post("/api/system/halt", null);
		desk.post("/api/system/resume", null);
		desk.post("/api/sessions/101/history", "{\"agent\":\"alpha\",\"text\":\"hello\"}");
		desk.put("/api/sessions/101/fields/plan", "{\"goal\":\"search\"}");
		desk.post("/api/agents/alpha/completions", null);
		desk.put("/api/agents/alpha/state", "{\"status\":\"working\"}");
		desk.post("/api/visits", "{\"visitor\":\"anna\"}");
		desk.post("/api/mails", "{\"address\":\"anna@desk.example\"}");
		desk.put("/api/desks/berlin", "{\"longitude\":13.405,\"latitude\":52.52}");
	}

	private static void assertProblem(Answer answer, int status) {
		assertThat(answer.status()).isEqualTo(status);
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(answer.json().path("status").asInt()).isEqualTo(status);
	}

	@Nested
	@DisabledIfSystemProperty(named = "spring.aot.enabled", matches = "true",
			disabledReason = "What is processed ahead of time has no Redis of its own")
	class WithoutAnyConfiguration {

		@Test
		void startsWithRedisAndKeyOfItsOwn() {
			// Says nothing of Redis, but that it may be slow
			try (Desk alone = Desk.start(List.of("ge.redis.outage.command-timeout=10s"))) {
				Awaitility.await().until(() -> "UP".equals(alone.get("/actuator/health").text("status")));
				assertThat(alone.get("/api/me", "Authorization", "Bearer " + alone.login("anna"))).returns(200,
						Answer::status);
				assertThat(alone.post("/api/agents/alpha/run?millis=0", null)).returns(200, Answer::status);
				assertThat(
						alone.get("/api/me", "Authorization", "Bearer " + DeskIntegrationTests.this.desk.login("anna")))
					.returns(401, Answer::status);
			}
		}

	}

}
