// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.test.Wide;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code /api/positions/{id}/valuation}: a write is refused if a later holder
 * of the lock has written, however the earlier one came to be late.
 */
class ValuationIntegrationTests {

	private static final String VALUATION = "/api/positions/p-1/valuation";

	@Test
	void laterHoldersWriteUnderHigherTokens() {
		Desk desk = SharedDesk.fresh(Database.H2);
		Answer first = desk.put(VALUATION, price(12));
		Answer second = desk.put(VALUATION, price(13));
		assertThat(List.of(first.status(), second.status())).containsExactly(200, 200);
		assertThat(second.json().path("fence").asLong()).isGreaterThan(first.json().path("fence").asLong());
		assertThat(desk.get(VALUATION).text("price")).isEqualTo("13");
	}

	@Test
	void refusesWhatItCannotValue() {
		Desk desk = SharedDesk.fresh(Database.H2);
		assertThat(desk.put("/api/positions/none/valuation", price(12)).status()).isEqualTo(404);
		assertThat(desk.get("/api/positions/none/valuation").status()).isEqualTo(404);
		assertThat(desk.put(VALUATION, price(0)).status()).isEqualTo(400);
		assertThat(desk.put(VALUATION + "?millis=-1", price(12)).status()).isEqualTo(400);
	}

	/**
	 * The first holder stands still, knowing nothing of it, until its lease is over and
	 * another has written. When it goes on it writes as if nothing had been.
	 */
	@Test
	@Wide
	void writeOfHolderThatWasPausedBeyondItsLeaseIsRefused() {
		SharedDesk.fresh(Database.POSTGRES);
		List<String> properties = new ArrayList<>(SharedDesk.properties(Database.POSTGRES));
		properties.add("ge.redis.lock.locks.valuation.lease-time=1s");
		properties.add("ge.redis.lock.locks.valuation.wait-time=20s");
		try (DeskProcess slow = DeskProcess.start(properties); DeskProcess other = DeskProcess.start(properties)) {
			CompletableFuture<Answer> late = CompletableFuture
				.supplyAsync(() -> slow.put(VALUATION + "?millis=5000", price(10)));
			Awaitility.await().until(ValuationIntegrationTests::isLocked);
			slow.pause();
			assertThat(other.get(VALUATION).text("price")).as("before anybody has written").isEqualTo("1");
			assertThat(other.put(VALUATION, price(20)).status()).isEqualTo(200);
			slow.resume();
			Answer refused = late.join();
			assertThat(refused.status()).isEqualTo(409);
			assertThat(refused.text("type")).endsWith("/late-valuation");
			assertThat(other.get(VALUATION).text("price")).isEqualTo("20");
		}
	}

	private static boolean isLocked() {
		return SharedDesk.redis(Database.POSTGRES)
			.endpoints()
			.get(0)
			.command("EXISTS", "ge:lock:{valuation:p-1}")
			.equals(1L);
	}

	private static String price(int price) {
		return "{\"price\": " + price + "}";
	}

}
