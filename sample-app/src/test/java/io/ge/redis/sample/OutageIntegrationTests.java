// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.ge.redis.test.RedisNode;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the desk without Redis: what answers, how fast, and how soon all is well
 * again.
 */
class OutageIntegrationTests {

	private static final String TASK = "{\"workItemId\":\"w-1\"}";

	private static final String LOGIN = "{\"username\":\"anna\",\"password\":\"demo\"}";

	/** Unknown to Redis, but only Redis knows. */
	private static final String REFRESH = "{\"refreshToken\":\"" + "A".repeat(68) + "\"}";

	/** The bound that holds on any machine; what is aimed at is 300 ms. */
	private static final Duration PROMPT = Duration.ofSeconds(1);

	private static final Duration RECOVERY = Duration.ofSeconds(2);

	/** The longest staleness of the blacklist, 2 s, and a command that times out. */
	private static final Duration STALENESS = Duration.ofSeconds(3);

	private StandaloneRedis redis;

	@BeforeEach
	void setUp() {
		SharedDesk.fresh(Database.H2);
		this.redis = RedisServers.standalone();
	}

	@AfterEach
	void tearDown() {
		this.redis.close();
	}

	@Test
	void startsWithRedisStoppedAndRecovers() {
		RedisNode node = this.redis.primary();
		node.stop();
		try (Desk desk = start()) {
			String token = desk.login("anna");
			warmUp(desk, token);
			assertAnswersPromptly(desk, token);
			node.start();
			assertRecovers(desk, token);
		}
	}

	/**
	 * A driver's own back-off would have reached half a minute by then.
	 */
	@Test
	@Wide
	void recoversAfter35SecondsWithoutRedis() {
		RedisNode node = this.redis.primary();
		try (Desk desk = start()) {
			String token = desk.login("anna");
			node.stop();
			Awaitility.await()
				.pollDelay(Duration.ofSeconds(35))
				.atMost(Duration.ofSeconds(90))
				.until(() -> desk.post("/api/agents/alpha/run?millis=0", null).status() == 503);
			node.start();
			assertRecovers(desk, token);
		}
	}

	@Test
	@Wide
	void startsWithRedisHangingAndRecovers() {
		RedisNode node = this.redis.primary();
		node.pause();
		try (Desk desk = start()) {
			String token = desk.login("anna");
			warmUp(desk, token);
			assertAnswersPromptly(desk, token);
			node.resume();
			assertRecovers(desk, token);
		}
		finally {
			node.resume();
		}
	}

	/**
	 * Here commands are on their way when Redis begins to hang; it runs them later,
	 * though their callers have long been refused.
	 */
	@Test
	@Wide
	void callsThatTimedOutDoNotBlockTheirKeys() {
		RedisNode node = this.redis.primary();
		try (Desk desk = start()) {
			String token = desk.login("anna");
			warmUp(desk, token);
			node.pause();
			assertAnswersPromptly(desk, token);
			node.resume();
			assertRecovers(desk, token);
		}
		finally {
			node.resume();
		}
	}

	/**
	 * Every call is the one that finds out: it waits for Redis itself, and however many
	 * commands it needs, it waits once.
	 */
	@Test
	@Wide
	void everyCallIsPromptThatMeetsHangingRedisFirst() {
		RedisNode node = this.redis.primary();
		try (Desk desk = start()) {
			String token = desk.login("anna");
			warmUp(desk, token);
			Map<String, Duration> times = new LinkedHashMap<>();
			calls(desk, token).forEach((name, call) -> {
				node.pause();
				times.put(name, call.time(name));
				node.resume();
				awaitRedis(desk);
			});
			assertPrompt(times);
		}
		finally {
			node.resume();
		}
	}

	private Desk start() {
		return Desk.start(List.of(this.redis.properties()));
	}

	/**
	 * Lets classes be loaded, whatever the answers.
	 */
	private static void warmUp(Desk desk, String token) {
		desk.post("/api/agents/warm/tasks", TASK);
		desk.post("/api/agents/warm/run?millis=0", null);
		desk.post("/api/positions/p-2/sell", "{\"quantity\":\"1\"}", "Idempotency-Key", "warm");
		desk.get("/api/positions/p-1");
		desk.get("/api/wallets/w-1/balances/SOL");
		desk.put("/api/wallets/w-2/balances/SOL", "{\"delta\":\"1\"}");
		desk.get("/api/me", "Authorization", "Bearer " + token);
		desk.get("/actuator/health");
	}

	private static void assertAnswersPromptly(Desk desk, String token) {
		Map<String, Duration> times = new LinkedHashMap<>();
		for (int round = 0; round < 4; round++) {
			calls(desk, token).forEach((name, call) -> times.merge(name, call.time(name),
					(one, other) -> (one.compareTo(other) > 0) ? one : other));
		}
		Stopwatch.within(STALENESS, () -> desk.get("/api/me", "Authorization", "Bearer " + token).status() == 503);
		Answer health = desk.get("/actuator/health");
		assertThat(health.status()).isEqualTo(503);
		times.put("health", health.elapsed());
		assertPrompt(times);
	}

	/**
	 * All that the desk offers, and what it answers without Redis: what is limited is
	 * limited by each instance, what is cached comes from the database, and what must be
	 * certain is refused.
	 */
	private static Map<String, Call> calls(Desk desk, String token) {
		String[] bearer = { "Authorization", "Bearer " + token };
		Map<String, Call> calls = new LinkedHashMap<>();
		calls.put("run", new Call(503, () -> desk.post("/api/agents/alpha/run?millis=0", null)));
		calls.put("sell", new Call(503, () -> sell(desk)));
		calls.put("task", new Call(202, () -> desk.post("/api/agents/alpha/tasks", TASK)));
		calls.put("position", new Call(200, () -> desk.get("/api/positions/p-1")));
		calls.put("read", new Call(200, () -> desk.get("/api/wallets/w-1/balances/SOL")));
		calls.put("write", new Call(200, () -> desk.put("/api/wallets/w-1/balances/SOL", "{\"delta\":\"1\"}")));
		// Known from memory for the longest staleness of the blacklist
		calls.put("me", new Call(Set.of(200, 503), () -> desk.get("/api/me", bearer)));
		calls.put("logout", new Call(503, () -> desk.post("/api/auth/logout", null, bearer)));
		calls.put("login", new Call(200, () -> desk.post("/api/auth/login", LOGIN)));
		calls.put("refresh", new Call(503, () -> desk.post("/api/auth/refresh", REFRESH)));
		return calls;
	}

	private static void assertPrompt(Map<String, Duration> times) {
		assertThat(times.values()).as(() -> "Slowest answers: " + times)
			.allSatisfy((time) -> assertThat(time).isLessThan(PROMPT));
	}

	private static void assertRecovers(Desk desk, String token) {
		Stopwatch start = Stopwatch.start();
		assertThat(await(start, 200, () -> desk.post("/api/agents/alpha/run?millis=0", null))).isNotNull();
		Answer sold = await(start, 201, () -> sell(desk));
		assertThat(await(start, 201, () -> sell(desk)).body()).isEqualTo(sold.body());
		await(start, 200, () -> desk.get("/api/me", "Authorization", "Bearer " + token));
		await(start, 202, () -> desk.post("/api/agents/omega/tasks", TASK));
		Answer read = await(start, 200, () -> desk.get("/api/wallets/w-1/balances/SOL"));
		assertThat(read.text("balance")).as("what was written meanwhile").isEqualTo(storedBalance());
		Stopwatch.within(RECOVERY, () -> "hit".equals(desk.get("/api/wallets/w-1/balances/SOL").header("X-Cache")));
		await(start, 200, () -> desk.get("/actuator/health"));
	}

	private static String storedBalance() {
		return Amounts.text(Database.H2.jdbc()
			.sql("select amount from balances where wallet = 'w-1' and token = 'SOL'")
			.query(BigDecimal.class)
			.single());
	}

	private static void awaitRedis(Desk desk) {
		await(Stopwatch.start(), 200, () -> desk.post("/api/agents/omega/run?millis=0", null));
	}

	private static Answer await(Stopwatch start, int status, Supplier<Answer> call) {
		Answer[] last = new Answer[1];
		Duration left = RECOVERY.minus(start.elapsed());
		Stopwatch.within((left.toMillis() > 0) ? left : Duration.ofMillis(1), () -> {
			last[0] = call.get();
			return last[0].status() == status;
		});
		return last[0];
	}

	/**
	 * A call and the answer it gets without Redis.
	 *
	 * @param statuses the status, or those that are possible
	 * @param call the call
	 */
	record Call(Set<Integer> statuses, Supplier<Answer> call) {

		Call(int status, Supplier<Answer> call) {
			this(Set.of(status), call);
		}

		Duration time(String name) {
			Answer answer = this.call.get();
			assertThat(answer.status()).as(name).isIn(this.statuses);
			if (answer.status() == 503) {
				assertThat(answer.header("Content-Type")).as(name).isEqualTo("application/problem+json");
				assertThat(answer.header("Retry-After")).as(name).isNotNull();
			}
			return answer.elapsed();
		}

	}

	private static Answer sell(Desk desk) {
		return desk.post("/api/positions/p-1/sell", "{\"quantity\":\"1\"}", "Idempotency-Key", "key-1");
	}

}
