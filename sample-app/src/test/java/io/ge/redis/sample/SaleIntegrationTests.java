// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.List;

import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code POST /api/positions/{id}/sell} and {@code GET /api/positions/{id}}.
 */
@Tag("aot")
class SaleIntegrationTests {

	@Nested
	class OnH2 extends Contract {

		OnH2() {
			super(Database.H2);
		}

	}

	@Wide
	@Nested
	class OnPostgres extends Contract {

		OnPostgres() {
			super(Database.POSTGRES);
		}

	}

	abstract static class Contract {

		private final Database database;

		private Desk desk;

		Contract(Database database) {
			this.database = database;
		}

		@BeforeEach
		void setUp() {
			this.desk = SharedDesk.fresh(this.database);
		}

		@Test
		void sellsAndReplays() {
			Answer first = sell("p-1", "\"1.50\"", "key-1");
			assertThat(first.status()).isEqualTo(201);
			assertThat(first.text("positionId")).isEqualTo("p-1");
			assertThat(first.text("quantity")).isEqualTo("1.5");
			assertThat(first.text("saleId")).isNotBlank();
			assertThat(first.header("Idempotent-Replayed")).isNull();
			Answer replayed = sell("p-1", "\"1.50\"", "key-1");
			assertThat(replayed.status()).isEqualTo(201);
			assertThat(replayed.body()).isEqualTo(first.body());
			assertThat(replayed.header("Content-Type")).isEqualTo(first.header("Content-Type"));
			assertThat(replayed.header("Idempotent-Replayed")).isEqualTo("true");
			assertPosition("p-1", "98.5", 1);
		}

		@Test
		void fiftySalesAtOnceWithOneKeyAreOne() {
			List<Answer> answers = DeskClient.parallel(50, (number) -> sell("p-1", "2", "key-1"));
			List<Answer> sold = DeskClient.withStatus(answers, 201);
			assertThat(sold).isNotEmpty();
			assertThat(sold).extracting(Answer::body).containsOnly(sold.get(0).body());
			assertThat(sold.size() + DeskClient.withStatus(answers, 409).size()).isEqualTo(50);
			assertThat(DeskClient.withStatus(answers, 409))
				.allSatisfy((answer) -> assertThat(answer.header("Retry-After")).isNotNull());
			assertPosition("p-1", "98", 1);
			assertThat(sell("p-1", "2", "key-1").body()).isEqualTo(sold.get(0).body());
		}

		@Test
		void salesAtOnceWithOwnKeysAllHappenOrAreRefusedByTheLock() {
			List<Answer> answers = DeskClient.parallel(10, (number) -> sell("p-2", "1", "key-" + number));
			int sold = DeskClient.withStatus(answers, 201).size();
			assertThat(sold).isPositive();
			assertThat(sold + DeskClient.withStatus(answers, 409).size()).isEqualTo(10);
			assertPosition("p-2", String.valueOf(100 - sold), sold);
		}

		@Test
		void saleThatWasCommittedBeforeItsInstanceDiedIsNotMadeAgain() {
			Answer first = sell("p-1", "2", "key-1");
			forgetCompletions();
			Answer repeated = sell("p-1", "2", "key-1");
			assertThat(repeated).returns(201, Answer::status).returns(first.body(), Answer::body);
			assertThat(repeated.header("Idempotent-Replayed")).isEqualTo("true");
			assertPosition("p-1", "98", 1);
			forgetCompletions();
			assertThat(sell("p-1", "3", "key-1")).returns(422, Answer::status);
			assertPosition("p-1", "98", 1);
		}

		@Test
		void saleOfWhichRedisHasLostEverythingIsNotMadeAgain() {
			Answer first = sell("p-1", "2", "key-1");
			SharedDesk.redis(this.database).flushAll();
			assertThat(sell("p-1", "2", "key-1")).returns(201, Answer::status).returns(first.body(), Answer::body);
			assertPosition("p-1", "98", 1);
		}

		/**
		 * Leaves Redis as it is when an instance has died after its commit, and its lease
		 * has ended.
		 */
		private void forgetCompletions() {
			SharedDesk.redis(this.database).primary().command("EVAL", """
					for _, key in ipairs(redis.call('KEYS', '*idempotency*')) do
					  redis.call('HDEL', key, 'k', 'r')
					  redis.call('HSET', key, 'd', 1, 'x', 1)
					end
					""", "0");
		}

		@Test
		void sameKeyWithOtherBodyIsRefused() {
			assertThat(sell("p-1", "1", "key-1")).returns(201, Answer::status);
			assertThat(sell("p-1", "2", "key-1")).returns(422, Answer::status);
			assertPosition("p-1", "99", 1);
		}

		@Test
		void sameKeyOfOtherUserIsOtherOperation() {
			String anna = "Bearer " + this.desk.login("anna");
			String boris = "Bearer " + this.desk.login("boris");
			Answer first = sell("p-1", "1", "key-1", "Authorization", anna);
			Answer second = sell("p-1", "1", "key-1", "Authorization", boris);
			Answer third = sell("p-1", "1", "key-1");
			assertThat(List.of(first, second, third)).allMatch((answer) -> answer.status() == 201);
			assertThat(List.of(first, second, third)).extracting((answer) -> answer.text("saleId"))
				.doesNotHaveDuplicates();
			assertThat(sell("p-1", "1", "key-1", "Authorization", anna).body()).isEqualTo(first.body());
			assertPosition("p-1", "97", 3);
		}

		@ParameterizedTest
		@ValueSource(strings = { "before", "after" })
		void failedSaleIsRolledBackAndItsKeyCanBeUsedAgain(String point) {
			Answer failed = this.desk.post("/api/positions/p-1/sell?fail=" + point, "{\"quantity\":\"1\"}",
					"Idempotency-Key", "key-1");
			assertThat(failed.status()).isEqualTo(500);
			assertThat(failed.header("Content-Type")).isEqualTo("application/problem+json");
			assertPosition("p-1", "100", 0);
			assertThat(sell("p-1", "\"1\"", "key-1")).returns(201, Answer::status);
			assertPosition("p-1", "99", 1);
		}

		@Test
		void unknownPointOfFailureIsBadRequestAndSellsNothing() {
			Answer answer = this.desk.post("/api/positions/p-1/sell?fail=maybe", "{\"quantity\":\"1\"}",
					"Idempotency-Key", "key-1");
			assertThat(answer.status()).isEqualTo(400);
			assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
			assertPosition("p-1", "100", 0);
		}

		@Test
		void keyIsNeeded() {
			Answer answer = this.desk.post("/api/positions/p-1/sell", "{\"quantity\":\"1\"}");
			assertThat(answer.status()).isEqualTo(400);
			assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
			assertPosition("p-1", "100", 0);
		}

		@Test
		void unknownPositionIsNotFound() {
			assertThat(this.desk.get("/api/positions/p-9")).returns(404, Answer::status);
			Answer answer = sell("p-9", "1", "key-1");
			assertThat(answer.status()).isEqualTo(404);
			assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		}

		@Test
		void moreThanIsLeftIsRefusedAndNotStored() {
			Answer refused = sell("p-1", "101", "key-1");
			assertThat(refused.status()).isEqualTo(409);
			assertThat(refused.text("type")).isEqualTo("https://desk.example/problems/not-enough-left");
			assertPosition("p-1", "100", 0);
			this.database.jdbc().sql("update positions set quantity = 200 where id = 'p-1'").update();
			assertThat(sell("p-1", "101", "key-1")).returns(201, Answer::status);
			assertPosition("p-1", "99", 1);
		}

		@ParameterizedTest
		@ValueSource(strings = { "0", "-1", "\"x\"", "\"\"", "null", "true", "[]", "{}", "1e99", "\"1e-99\"",
				"0.00000000001" })
		void quantityMustBePositiveAndFit(String quantity) {
			Answer answer = sell("p-1", quantity, "key-1");
			assertThat(answer.status()).isEqualTo(400);
			assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
			assertThat(sell("p-1", "1", "key-1")).returns(201, Answer::status);
		}

		private Answer sell(String position, String quantity, String key, String... headers) {
			String[] all = new String[headers.length + 2];
			System.arraycopy(headers, 0, all, 2, headers.length);
			all[0] = "Idempotency-Key";
			all[1] = key;
			return this.desk.post("/api/positions/" + position + "/sell", "{\"quantity\":" + quantity + "}", all);
		}

		/**
		 * Asks the desk, and the database for whether the desk tells the truth.
		 */
		private void assertPosition(String id, String quantity, long sales) {
			Answer answer = this.desk.get("/api/positions/" + id);
			assertThat(answer.body())
				.isEqualTo("{\"id\":\"%s\",\"quantity\":\"%s\",\"sales\":%d}".formatted(id, quantity, sales));
			assertThat(this.database.jdbc()
				.sql("select count(*) from sales where position_id = :id")
				.param("id", id)
				.query(Long.class)
				.single()).isEqualTo(sales);
		}

	}

}
