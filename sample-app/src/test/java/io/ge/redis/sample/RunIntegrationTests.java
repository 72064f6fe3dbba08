// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code POST /api/agents/{agent}/run}. The oracle is what the runs themselves
 * have recorded in the database.
 */
class RunIntegrationTests {

	@Test
	void refusesRunWhileAgentRuns() {
		Desk desk = SharedDesk.fresh(Database.H2);
		CompletableFuture<Answer> first = CompletableFuture
			.supplyAsync(() -> desk.post("/api/agents/alpha/run?millis=2500", null));
		Awaitility.await().until(() -> !steps(Database.H2, "alpha").isEmpty());
		Answer refused = desk.post("/api/agents/alpha/run", null);
		assertThat(refused.status()).isEqualTo(409);
		assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(refused.text("type")).isNotEqualTo("about:blank").isNotBlank();
		assertThat(desk.post("/api/agents/beta/run?millis=0", null)).returns(200, Answer::status);
		assertThat(first.join()).returns(200, Answer::status).returns("alpha", (answer) -> answer.text("agent"));
		assertThat(desk.post("/api/agents/alpha/run?millis=0", null)).returns(200, Answer::status);
		assertNoOverlap(Database.H2, "alpha", 2);
	}

	@Test
	void answersWithTheTokenOfTheRun() {
		Desk desk = SharedDesk.fresh(Database.H2);
		long first = desk.post("/api/agents/alpha/run?millis=0", null).json().path("fencingToken").asLong();
		// A token of the caller is nobody's business
		long second = desk.post("/api/agents/alpha/run?millis=0&fencingToken=1", null)
			.json()
			.path("fencingToken")
			.asLong();
		assertThat(first).isPositive();
		assertThat(second).isGreaterThan(first);
	}

	@Nested
	class OnH2 extends OneProcess {

		OnH2() {
			super(Database.H2);
		}

	}

	@Wide
	@Nested
	class OnPostgres extends OneProcess {

		OnPostgres() {
			super(Database.POSTGRES);
		}

	}

	abstract static class OneProcess {

		private final Database database;

		OneProcess(Database database) {
			this.database = database;
		}

		@Test
		void runsOfOneAgentNeverOverlap() {
			Desk desk = SharedDesk.fresh(this.database);
			long runs = runInParallel(List.of(desk), 8, 15);
			assertNoOverlap(this.database, "alpha", runs);
		}

	}

	@Test
	@Wide
	void runsOfOneAgentNeverOverlapInTwoProcesses() {
		SharedDesk.fresh(Database.POSTGRES);
		try (DeskProcess first = DeskProcess.start(SharedDesk.properties(Database.POSTGRES));
				DeskProcess second = DeskProcess.start(SharedDesk.properties(Database.POSTGRES))) {
			long runs = runInParallel(List.of(first, second), 8, 25);
			assertNoOverlap(Database.POSTGRES, "alpha", runs);
		}
	}

	/**
	 * What {@code application.yml} says of a lock wins over the annotation.
	 */
	@Test
	@Wide
	void waitersOfTwoProcessesAllRunOneAfterTheOther() {
		SharedDesk.fresh(Database.POSTGRES);
		List<String> properties = new ArrayList<>(SharedDesk.properties(Database.POSTGRES));
		properties.add("ge.redis.lock.locks.agent-execution.wait-time=30s");
		try (DeskProcess first = DeskProcess.start(properties); DeskProcess second = DeskProcess.start(properties)) {
			List<DeskProcess> desks = List.of(first, second);
			List<Answer> answers = DeskClient.parallel(40,
					(number) -> desks.get(number % 2).post("/api/agents/alpha/run?millis=20", null));
			assertThat(answers).extracting(Answer::status).containsOnly(200);
			assertNoOverlap(Database.POSTGRES, "alpha", 40);
		}
	}

	/**
	 * Each caller tries until it has run often enough on its instance; half of the
	 * callers are on each of two instances.
	 * @return the number of runs
	 */
	private static long runInParallel(List<? extends DeskClient> desks, int callers, int runsEach) {
		DeskClient.parallel(callers, (caller) -> {
			DeskClient desk = desks.get(caller % desks.size());
			Answer[] last = new Answer[1];
			for (int run = 0; run < runsEach; run++) {
				Awaitility.await()
					.pollInSameThread()
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(2))
					.atMost(Duration.ofSeconds(60))
					.until(() -> {
						last[0] = desk.post("/api/agents/alpha/run?millis=2", null);
						assertThat(last[0].status()).isIn(200, 409);
						return last[0].status() == 200;
					});
			}
			return last[0];
		});
		return (long) callers * runsEach;
	}

	private static void assertNoOverlap(Database database, String agent, long runs) {
		List<Step> steps = steps(database, agent);
		assertThat(steps).hasSize((int) runs * 2);
		long lastToken = 0;
		for (int i = 0; i < steps.size(); i += 2) {
			Step enter = steps.get(i);
			assertThat(enter.step()).isEqualTo("enter");
			assertThat(enter.token()).isGreaterThan(lastToken);
			assertThat(steps.get(i + 1)).isEqualTo(new Step(enter.token(), "leave"));
			lastToken = enter.token();
		}
	}

	private static List<Step> steps(Database database, String agent) {
		JdbcClient jdbc = database.jdbc();
		return new ArrayList<>(jdbc.sql("select fencing_token, step from run_steps where agent = :agent order by id")
			.param("agent", agent)
			.query((row, number) -> new Step(row.getLong(1), row.getString(2)))
			.list());
	}

	record Step(long token, String step) {

	}

}
