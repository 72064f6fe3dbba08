// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.time.Duration;
import java.util.List;

import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code /api/wallets/{wallet}/balances/{token}}.
 */
class BalanceIntegrationTests {

	private static final String SOL = "/api/wallets/w-1/balances/SOL";

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
		void firstReadMissesAndSecondHits() {
			Answer miss = this.desk.get(SOL);
			assertThat(miss.body()).isEqualTo(balance("100", 0));
			assertThat(miss.header("X-Cache")).isEqualTo("miss");
			Answer hit = this.desk.get(SOL);
			assertThat(hit.body()).isEqualTo(balance("100", 0));
			assertThat(hit.header("X-Cache")).isEqualTo("hit");
		}

		@Test
		void hitIsServedByRedis() {
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> "hit".equals(this.desk.get(SOL).header("X-Cache")));
			this.database.jdbc().sql("update balances set amount = 7").update();
			assertThat(this.desk.get(SOL).body()).isEqualTo(balance("100", 0));
		}

		@Test
		void changeIsInDatabaseAndInRedis() {
			// Redis was emptied, and what was written while that is noticed counts as
			// missing
			Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				this.desk = SharedDesk.fresh(this.database);
				Answer changed = this.desk.put(SOL, "{\"delta\":\"1.5\"}");
				assertThat(changed.status()).isEqualTo(200);
				assertThat(changed.body()).isEqualTo(balance("101.5", 1));
				assertThat(this.desk.get(SOL)).returns(balance("101.5", 1), Answer::body)
					.returns("hit", (answer) -> answer.header("X-Cache"));
			});
			assertThat(this.desk.put(SOL, "{\"delta\":-1.5}").body()).isEqualTo(balance("100", 2));
			assertThat(this.desk.get(SOL).body()).isEqualTo(balance("100", 2));
			assertThat(stored()).isEqualTo(balance("100", 2));
		}

		@Test
		void changeIsInRedisAsTheDatabaseHasRoundedIt() {
			assertThat(this.desk.put(SOL, "{\"delta\":\"0.0000000155\"}").body()).isEqualTo(balance("100.00000002", 1));
			assertThat(stored()).isEqualTo(balance("100.00000002", 1));
			assertThat(this.desk.get(SOL).body()).isEqualTo(balance("100.00000002", 1));
		}

		@Test
		void rolledBackChangeIsInNeither() {
			assertThat(this.desk.get(SOL)).returns("miss", (answer) -> answer.header("X-Cache"));
			Answer rolledBack = this.desk.put(SOL + "?rollback=true", "{\"delta\":\"1.5\"}");
			assertThat(rolledBack.status()).isEqualTo(409);
			assertThat(rolledBack.header("Content-Type")).isEqualTo("application/problem+json");
			assertThat(stored()).isEqualTo(balance("100", 0));
			assertThat(this.desk.get(SOL).body()).isEqualTo(balance("100", 0));
		}

		@Test
		void rolledBackChangeIsInNeitherOnColdCache() {
			assertThat(this.desk.put(SOL + "?rollback=true", "{\"delta\":\"1.5\"}")).returns(409, Answer::status);
			assertThat(this.desk.get(SOL)).returns(balance("100", 0), Answer::body)
				.returns("miss", (answer) -> answer.header("X-Cache"));
		}

		@Test
		void readersAndWritersInParallelEndWithEqualRedisAndDatabase() {
			for (int round = 1; round <= 10; round++) {
				List<Answer> answers = DeskClient.parallel(20, (number) -> (number % 2 == 0) ? this.desk.get(SOL)
						: this.desk.put(SOL + "?rollback=" + (number % 10 == 9), "{\"delta\":\"0.5\"}"));
				assertThat(DeskClient.withStatus(answers, 200)).hasSize(18);
				assertThat(DeskClient.withStatus(answers, 409)).hasSize(2);
				assertThat(this.desk.get(SOL).body()).isEqualTo(stored());
				assertThat(stored()).isEqualTo(balance(String.valueOf(100 + 4 * round), 8 * round));
			}
		}

		@Test
		void unknownWalletOrTokenIsNotFound() {
			for (String path : List.of("/api/wallets/w-9/balances/SOL", "/api/wallets/w-1/balances/XYZ")) {
				assertThat(this.desk.get(path)).returns(404, Answer::status)
					.returns("application/problem+json", (answer) -> answer.header("Content-Type"));
				assertThat(this.desk.put(path, "{\"delta\":1}")).returns(404, Answer::status)
					.returns("application/problem+json", (answer) -> answer.header("Content-Type"));
			}
		}

		@ParameterizedTest
		@ValueSource(strings = { "", "{", "{}", "{\"delta\":\"x\"}", "{\"delta\":null}", "{\"delta\":[1]}",
				"{\"delta\":1e30}", "[]" })
		void malformedChangeIsRefused(String body) {
			assertThat(this.desk.put(SOL, body)).returns(400, Answer::status)
				.returns("application/problem+json", (answer) -> answer.header("Content-Type"));
			assertThat(stored()).isEqualTo(balance("100", 0));
		}

		private String stored() {
			return this.database.jdbc()
				.sql("select amount, version from balances where wallet = 'w-1' and token = 'SOL'")
				.query((row, number) -> balance(Amounts.text(row.getBigDecimal(1)), row.getLong(2)))
				.single();
		}

		private static String balance(String balance, long version) {
			return "{\"wallet\":\"w-1\",\"token\":\"SOL\",\"balance\":\"%s\",\"version\":%d}".formatted(balance,
					version);
		}

	}

}
