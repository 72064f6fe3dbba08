// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the endpoints on suppliers, on two instances.
 */
class SupplierIntegrationTests extends TwoDesks {

	private static final String GOOD = "{\"item\":\"tea\"}";

	private static final String BAD = "{\"item\":\"tea\",\"fail\":true}";

	@Test
	void callsOfAFailingSupplierAreRefusedOnEveryInstance() {
		assertThat(this.desk.post("/api/suppliers/acme/quote", GOOD).json().path("item").asString()).isEqualTo("tea");
		assertThat(this.desk.get("/api/suppliers/acme").body()).isEqualTo("{\"name\":\"acme\",\"state\":\"CLOSED\"}");
		Awaitility.await().until(() -> {
			List<Integer> answers = List.of(this.desk.post("/api/suppliers/acme/quote", BAD).status(),
					other.post("/api/suppliers/acme/quote", BAD).status());
			assertThat(answers).isSubsetOf(502, 503);
			return answers.equals(List.of(503, 503));
		});
		for (Desk each : List.of(this.desk, other)) {
			Answer refused = each.post("/api/suppliers/acme/quote", GOOD);
			assertThat(refused.status()).isEqualTo(503);
			assertThat(refused.header("Retry-After")).matches("[1-9]\\d*");
			assertThat(refused.json().path("type").asString()).isEqualTo("urn:ge-redis:problem:circuit-open");
			assertThat(refused.json().path("breaker").asString()).isEqualTo("suppliers");
			assertThat(each.get("/api/suppliers/acme").json().path("state").asString()).isNotEqualTo("CLOSED");
		}
		assertThat(this.desk.post("/api/suppliers/other/quote", GOOD).status()).isEqualTo(200);
	}

	@Test
	void refusesARequestWithoutItem() {
		assertThat(this.desk.post("/api/suppliers/acme/quote", "{}").status()).isEqualTo(400);
	}

}
