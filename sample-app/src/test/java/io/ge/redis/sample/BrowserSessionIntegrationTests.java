// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the logins by session of {@code /api/sessions}.
 */
class BrowserSessionIntegrationTests {

	private static final String ANNA = "{\"username\":\"anna\",\"password\":\"demo\"}";

	private Desk desk;

	@BeforeEach
	void setUp() {
		this.desk = SharedDesk.fresh(Database.H2);
	}

	private String login() {
		Answer answer = this.desk.post("/api/sessions/login", ANNA);
		assertThat(answer.status()).isEqualTo(200);
		return Objects.requireNonNull(answer.header("Set-Cookie")).split(";")[0];
	}

	@Test
	void logsOutEverywhere() {
		String one = login();
		String two = login();
		Answer mine = this.desk.get("/api/sessions/mine", "Cookie", one);
		assertThat(mine.json()).hasSize(2).allMatch((session) -> session.path("id").isString());
		assertThat(this.desk.post("/api/sessions/logout-everywhere", null, "Cookie", two).json().path("ended").asInt())
			.isEqualTo(2);
		for (String cookie : List.of(one, two)) {
			assertThat(this.desk.get("/api/sessions/mine", "Cookie", cookie).status()).isEqualTo(401);
		}
	}

	@Test
	void logsOutOfOneSession() {
		String one = login();
		String two = login();
		assertThat(this.desk.post("/api/sessions/logout", null, "Cookie", one).status()).isEqualTo(204);
		assertThat(this.desk.get("/api/sessions/mine", "Cookie", one).status()).isEqualTo(401);
		assertThat(this.desk.get("/api/sessions/mine", "Cookie", two).json()).hasSize(1);
	}

	@Test
	void loginChangesTheId() {
		String before = login();
		Answer again = this.desk.post("/api/sessions/login", ANNA, "Cookie", before);
		String after = Objects.requireNonNull(again.header("Set-Cookie")).split(";")[0];
		assertThat(this.desk.get("/api/sessions/mine", "Cookie", before).status()).isEqualTo(401);
		assertThat(this.desk.get("/api/sessions/mine", "Cookie", after).json()).hasSize(1);
		assertThat(this.desk.post("/api/sessions/login", ANNA.replace("demo", "guess")).status()).isEqualTo(401);
	}

}
