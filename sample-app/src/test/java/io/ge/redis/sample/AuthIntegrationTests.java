// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoder;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code /api/auth} and {@code /api/me}.
 */
class AuthIntegrationTests {

	/** The longest staleness of the blacklist, 2 s, and a busy moment. */
	private static final Duration STALENESS = Duration.ofSeconds(3);

	private Desk desk;

	@BeforeEach
	void setUp() {
		this.desk = SharedDesk.fresh(Database.H2);
	}

	@Test
	void loginGivesTokens() {
		Answer answer = this.desk.post("/api/auth/login", "{\"username\":\"anna\",\"password\":\"demo\"}");
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.text("accessToken")).isNotBlank();
		assertThat(answer.text("refreshToken")).isNotBlank();
		assertThat(answer.text("tokenType")).isEqualTo("Bearer");
		assertThat(answer.json().path("expiresIn").isNumber()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"username\":\"anna\",\"password\":\"wrong\"}",
			"{\"username\":\"carl\",\"password\":\"demo\"}" })
	void wrongCredentialsAreRefused(String login) {
		Answer answer = this.desk.post("/api/auth/login", login);
		assertThat(answer.status()).isEqualTo(401);
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
	}

	@Test
	void guessingIsLimited() {
		try (Desk guessed = Desk.start(SharedDesk.properties(Database.H2))) {
			String guess = "{\"username\":\"anna\",\"password\":\"wrong\"}";
			for (int i = 0; i < 20; i++) {
				assertThat(guessed.post("/api/auth/login", guess)).returns(401, Answer::status);
			}
			Answer refused = guessed.post("/api/auth/login", "{\"username\":\"anna\",\"password\":\"demo\"}");
			assertThat(refused.status()).isEqualTo(429);
			assertThat(refused.header("RateLimit-Policy")).contains("\"login-1m\";q=20;w=60")
				.contains("\"login-1h\";q=200;w=3600");
			assertThat(refused.json().path("violated-policies").toString()).isEqualTo("[\"login-1m\"]");
			assertThat(guessed.get("/api/positions/p-1")).returns(200, Answer::status);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{}", "{\"username\":\"anna\"}", "[" })
	void malformedLoginIsRefused(String login) {
		Answer answer = this.desk.post("/api/auth/login", login);
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
	}

	@Test
	void tellsWhoCalls() {
		Answer answer = me(this.desk, this.desk.login("boris"));
		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.text("subject")).isEqualTo("boris");
		assertThat(answer.text("jti")).isNotBlank();
		assertThat(Instant.parse(answer.text("expiresAt"))).isAfter(Instant.now());
	}

	@Test
	void anonymousCallerHasNoNameAndNothingToLogOut() {
		assertThat(this.desk.get("/api/me")).returns(401, Answer::status);
		assertThat(this.desk.post("/api/auth/logout", null)).returns(401, Answer::status);
		assertThat(this.desk.post("/api/auth/logout-all", null)).returns(401, Answer::status);
	}

	@Test
	void tokenThatTheDeskHasNotSignedIsRefusedEverywhere() {
		String refreshToken = this.desk.post("/api/auth/login", "{\"username\":\"anna\",\"password\":\"demo\"}")
			.text("refreshToken");
		assertThat(me(this.desk, "nonsense")).returns(401, Answer::status);
		assertThat(me(this.desk, refreshToken)).returns(401, Answer::status);
		assertThat(this.desk.get("/api/positions/p-1", "Authorization", "Bearer nonsense")).returns(401,
				Answer::status);
	}

	@Test
	void logoutRevokesOneToken() {
		String token = this.desk.login("anna");
		String other = this.desk.login("anna");
		assertThat(me(this.desk, token)).returns(200, Answer::status);
		assertThat(logout(this.desk, "/api/auth/logout", token)).returns(204, Answer::status);
		assertRevoked(me(this.desk, token));
		assertRevoked(this.desk.get("/api/positions/p-1", "Authorization", "Bearer " + token));
		assertRevoked(logout(this.desk, "/api/auth/logout", token));
		assertThat(me(this.desk, other)).returns(200, Answer::status);
	}

	@Test
	void logoutRevokesTokenWhoseSessionIsBlank() {
		String other = this.desk.login("anna");
		String token = this.desk.bean(JwtEncoder.class)
			.encode(JwtEncoderParameters.from(JwtClaimsSet.builder()
				.issuer("https://desk.example")
				.subject("anna")
				.id("blank-session")
				.issuedAt(Instant.now())
				.expiresAt(Instant.now().plusSeconds(60))
				.claim("sid", "")
				.build()))
			.getTokenValue();
		assertThat(me(this.desk, token)).returns(200, Answer::status);
		assertThat(logout(this.desk, "/api/auth/logout", token)).returns(204, Answer::status);
		assertRevoked(me(this.desk, token));
		assertThat(me(this.desk, other)).returns(200, Answer::status);
	}

	@Test
	void logoutAllRevokesEveryEarlierTokenAndNoLaterOne() {
		String boris = this.desk.login("boris");
		for (int round = 0; round < 5; round++) {
			String first = this.desk.login("anna");
			String second = this.desk.login("anna");
			assertThat(me(this.desk, first)).returns(200, Answer::status);
			assertThat(logout(this.desk, "/api/auth/logout-all", second)).returns(204, Answer::status);
			assertRevoked(me(this.desk, first));
			assertRevoked(me(this.desk, second));
			assertThat(me(this.desk, this.desk.login("anna"))).returns(200, Answer::status);
		}
		assertThat(me(this.desk, boris)).returns(200, Answer::status);
	}

	@Test
	@Wide
	void logoutHoldsOnEveryInstance() {
		try (DeskProcess second = DeskProcess.start(SharedDesk.properties(Database.H2))) {
			String token = this.desk.login("anna");
			assertThat(me(second, token)).returns(200, Answer::status);
			assertThat(logout(this.desk, "/api/auth/logout", token)).returns(204, Answer::status);
			awaitRevoked(second, token);

			String ofFirst = this.desk.login("anna");
			String ofSecond = second.login("anna");
			assertThat(logout(second, "/api/auth/logout-all", ofSecond)).returns(204, Answer::status);
			awaitRevoked(this.desk, ofFirst);
			awaitRevoked(this.desk, ofSecond);
			assertThat(me(second, this.desk.login("anna"))).returns(200, Answer::status);
		}
	}

	@Test
	void refreshTokenIsReplacedWithEveryUse() {
		Answer login = this.desk.post("/api/auth/login", "{\"username\":\"anna\",\"password\":\"demo\"}");
		Answer refreshed = refresh(this.desk, login.text("refreshToken"));
		assertThat(refreshed.status()).isEqualTo(200);
		assertThat(refreshed.text("refreshToken")).isNotBlank().isNotEqualTo(login.text("refreshToken"));
		assertThat(me(this.desk, refreshed.text("accessToken")).text("subject")).isEqualTo("anna");
		assertThat(me(this.desk, login.text("accessToken"))).returns(200, Answer::status);
		Answer again = refresh(this.desk, login.text("refreshToken"));
		assertThat(again.text("refreshToken")).isEqualTo(refreshed.text("refreshToken"));
		assertThat(refresh(this.desk, refreshed.text("refreshToken"))).returns(200, Answer::status);
	}

	@Test
	void tabsThatRefreshTogetherGetTheSameRefreshToken() throws Exception {
		String token = this.desk.post("/api/auth/login", "{\"username\":\"anna\",\"password\":\"demo\"}")
			.text("refreshToken");
		ExecutorService tabs = Executors.newFixedThreadPool(10);
		try {
			List<Callable<String>> calls = Collections.nCopies(10,
					() -> refresh(this.desk, token).text("refreshToken"));
			Set<String> successors = new HashSet<>();
			for (Future<String> successor : tabs.invokeAll(calls)) {
				successors.add(successor.get());
			}
			assertThat(successors).hasSize(1).doesNotContain(token);
		}
		finally {
			tabs.shutdownNow();
		}
	}

	@Test
	void oldRefreshTokenEndsTheSession() {
		List<String> properties = new ArrayList<>(SharedDesk.properties(Database.H2));
		properties.add("ge.redis.refresh-tokens.grace=0s");
		try (Desk strict = Desk.start(properties)) {
			Answer login = strict.post("/api/auth/login", "{\"username\":\"anna\",\"password\":\"demo\"}");
			Answer refreshed = refresh(strict, login.text("refreshToken"));
			assertProblem(refresh(strict, login.text("refreshToken")), 401);
			assertProblem(refresh(strict, refreshed.text("refreshToken")), 401);
			assertRevoked(me(strict, refreshed.text("accessToken")));
			assertRevoked(me(strict, login.text("accessToken")));
			assertThat(me(strict, strict.login("anna"))).returns(200, Answer::status);
		}
	}

	@Test
	void logoutEndsRefreshTokensToo() {
		Answer one = this.desk.post("/api/auth/login", "{\"username\":\"anna\",\"password\":\"demo\"}");
		Answer other = this.desk.post("/api/auth/login", "{\"username\":\"anna\",\"password\":\"demo\"}");
		assertThat(logout(this.desk, "/api/auth/logout", one.text("accessToken"))).returns(204, Answer::status);
		assertProblem(refresh(this.desk, one.text("refreshToken")), 401);
		Answer refreshed = refresh(this.desk, other.text("refreshToken"));
		assertThat(refreshed).returns(200, Answer::status);
		assertThat(logout(this.desk, "/api/auth/logout-all", refreshed.text("accessToken"))).returns(204,
				Answer::status);
		assertProblem(refresh(this.desk, refreshed.text("refreshToken")), 401);
		assertRevoked(me(this.desk, refreshed.text("accessToken")));
	}

	@Test
	void whatIsNoRefreshTokenIsRefused() {
		assertProblem(refresh(this.desk, "nonsense"), 401);
		assertProblem(refresh(this.desk, this.desk.login("anna")), 401);
		assertProblem(this.desk.post("/api/auth/refresh", "{}"), 400);
		assertProblem(this.desk.post("/api/auth/refresh", "["), 400);
	}

	private static Answer refresh(DeskClient desk, String token) {
		return desk.post("/api/auth/refresh", "{\"refreshToken\":\"" + token + "\"}");
	}

	private static void assertProblem(Answer answer, int status) {
		assertThat(answer.status()).isEqualTo(status);
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
	}

	private static Answer me(DeskClient desk, String token) {
		return desk.get("/api/me", "Authorization", "Bearer " + token);
	}

	private static Answer logout(DeskClient desk, String path, String token) {
		return desk.post(path, null, "Authorization", "Bearer " + token);
	}

	/**
	 * Others than the instance of the logout hear of it a moment later, or see it when
	 * what they remember is too old.
	 */
	private static void awaitRevoked(DeskClient desk, String token) {
		Stopwatch.within(STALENESS, () -> me(desk, token).status() != 200);
		assertRevoked(me(desk, token));
	}

	private static void assertRevoked(Answer answer) {
		assertThat(answer.status()).isEqualTo(401);
		assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer").contains("error=\"invalid_token\"");
	}

}
