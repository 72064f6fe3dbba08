// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;

import com.jayway.jsonpath.JsonPath;
import io.ge.redis.autoconfigure.BlacklistAutoConfiguration;
import io.ge.redis.autoconfigure.RefreshTokenAutoConfiguration;
import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenIdentity;
import io.ge.redis.blacklist.TokenStatus;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The blacklist over HTTP, as an operator sees it.
 */
class BlacklistResourceIntegrationTests {

	private static final String BLACKLIST = "/actuator/geredis/blacklist";

	private static final String ISSUER = "https://issuer.example";

	private static final Instant LATER = Instant.ofEpochSecond(Instant.now().getEpochSecond() + 900);

	private static final TokenIdentity TOKEN = TokenIdentity.of(ISSUER, "precious-id", LATER);

	private final WebApplicationContextRunner reading = OperatorApplication
		.with(BlacklistAutoConfiguration.class, RefreshTokenAutoConfiguration.class)
		.withPropertyValues(SharedRedis.standalone().properties())
		.withPropertyValues("ge.redis.outage.command-timeout=5s");

	private final WebApplicationContextRunner writing = this.reading
		.withPropertyValues("management.endpoint.geredis.access=UNRESTRICTED");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void tellsHowThisInstanceAndRedisStand() {
		run(this.reading, (blacklist, mvc) -> {
			MvcTestResult unused = mvc.get().uri(BLACKLIST).exchange();
			assertThat(unused).hasStatusOk();
			assertThat(unused).bodyJson().extractingPath("$.local.fresh").isEqualTo(false);
			assertThat(unused).bodyJson().doesNotHavePath("$.local.position");
			assertThat(unused).bodyJson().doesNotHavePath("$.local.age");
			assertThat(unused).bodyJson().extractingPath("$.stored.rows").isEqualTo(0);
			blacklist.withReason("stolen").revoke(TOKEN);
			blacklist.revokeAll(ISSUER, "anna");
			blacklist.block("ips", "10.0.0.1", Duration.ofMinutes(1));
			blacklist.check(TOKEN);
			await().untilAsserted(() -> {
				MvcTestResult result = mvc.get().uri(BLACKLIST).exchange();
				assertThat(result).bodyJson().extractingPath("$.local.fresh").isEqualTo(true);
				assertThat(result).bodyJson().extractingPath("$.local.instance").asString().isNotBlank();
				assertThat(result).bodyJson().extractingPath("$.local.age").asString().startsWith("PT0");
				assertThat(result).bodyJson().extractingPath("$.local.ids").isEqualTo(1);
				assertThat(result).bodyJson().extractingPath("$.local.exact").isEqualTo(true);
				assertThat(result).bodyJson().extractingPath("$.local.notBefores").isEqualTo(1);
				assertThat(result).bodyJson().extractingPath("$.local.blocks").isEqualTo(1);
				assertThat(result).bodyJson().extractingPath("$.local.reasons").isEqualTo(1);
				assertThat(result).bodyJson().extractingPath("$.local.bytes").asNumber().isNotEqualTo(0);
				assertThat(result).bodyJson().extractingPath("$.stored.rows").isEqualTo(3);
				assertThat(result).bodyJson().extractingPath("$.stored.changes").isEqualTo(3);
				assertThat(result).bodyJson().extractingPath("$.stored.following").isEqualTo(1);
				assertThat(result).bodyJson()
					.extractingPath("$.stored.lastChange")
					.isEqualTo(JsonPath.<String>read(body(result), "$.local.position"));
			});
			assertThat(mvc.get().uri(BLACKLIST + "?hash=" + "0".repeat(32))).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	@Wide
	void tellsWhatThisInstanceKnowsWhileRedisIsAway() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().stop();
			run(this.reading.withPropertyValues(redis.properties()), (blacklist, mvc) -> {
				MvcTestResult result = mvc.get().uri(BLACKLIST).exchange();
				assertThat(result).hasStatusOk();
				assertThat(result).bodyJson().extractingPath("$.local.fresh").isEqualTo(false);
				assertThat(result).bodyJson().doesNotHavePath("$.stored");
				assertThat(mvc.get().uri(BLACKLIST + "/token?hash=" + "0".repeat(32)))
					.hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
			});
		}
	}

	@Test
	@Wide
	void onlyAWriteWithoutAnAnswerMayHaveBeenExecuted() throws Exception {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			run(this.writing.withPropertyValues(redis.properties())
				.withPropertyValues("ge.redis.outage.command-timeout=300ms"), (blacklist, mvc) -> {
					blacklist.check(TOKEN);
					redis.primary().pause();
					assertThat(mvc.get().uri(BLACKLIST + "/token?hash=" + "0".repeat(32))).bodyJson()
						.extractingPath("$.detail")
						.isEqualTo("Redis did not answer (timeout). Try again.");
					assertThat(post(mvc, "/subject",
							"{\"action\": \"revoke\", \"issuer\": \"none\", \"value\": \"anna\"}"))
						.bodyJson()
						.extractingPath("$.detail")
						.asString()
						.contains("may have been executed");
					redis.primary().resume();
				});
		}
	}

	@Test
	void looksByValueInABodyAndByHashInAPath() {
		run(this.writing, (blacklist, mvc) -> {
			String look = "{\"action\": \"look\", \"issuer\": \"" + ISSUER + "\", \"value\": \"%s\"}";
			MvcTestResult before = post(mvc, "/token", look.formatted("precious-id"));
			assertThat(before).bodyJson().extractingPath("$.stands").isEqualTo(false);
			assertThat(before).bodyJson().doesNotHavePath("$.remaining");
			blacklist.withReason("stolen").revoke(TOKEN);
			blacklist.revokeAll(ISSUER, "anna");
			String hash = text(before, "$.hash");
			for (MvcTestResult result : List.of(post(mvc, "/token", look.formatted("precious-id")),
					mvc.get().uri(BLACKLIST + "/token?hash=" + hash).exchange())) {
				assertThat(result).hasStatusOk();
				assertThat(result).bodyJson().extractingPath("$.kind").isEqualTo("token");
				assertThat(result).bodyJson().extractingPath("$.hash").isEqualTo(hash);
				assertThat(result).bodyJson().extractingPath("$.stands").isEqualTo(true);
				assertThat(result).bodyJson().extractingPath("$.remaining").asString().startsWith("PT1");
				assertThat(result).bodyJson().extractingPath("$.reason").isEqualTo("stolen");
				assertThat(result).bodyJson().doesNotHavePath("$.notBefore");
				assertThat(body(result)).doesNotContain("precious");
			}
			MvcTestResult subject = post(mvc, "/subject", look.formatted("anna"));
			assertThat(subject).bodyJson().extractingPath("$.stands").isEqualTo(true);
			assertThat(subject).bodyJson().doesNotHavePath("$.reason");
			assertThat(Instant.parse(text(subject, "$.notBefore"))).isBetween(Instant.now().minusSeconds(60),
					Instant.now().plusSeconds(60));
			// Another kind is another row
			assertThat(mvc.get().uri(BLACKLIST + "/session?hash=" + hash)).bodyJson()
				.extractingPath("$.stands")
				.isEqualTo(false);
		});
	}

	@Test
	void revokesAndBlocks() {
		run(this.writing, (blacklist, mvc) -> {
			assertThat(blacklist.check(TOKEN)).isEqualTo(TokenStatus.CLEAR);
			MvcTestResult revoked = post(mvc, "/token",
					"{\"action\": \"revoke\", \"issuer\": \"%s\", \"value\": \"precious-id\", \"expires\": %s, \"reason\": \"x\"}"
						.formatted(ISSUER, LATER.getEpochSecond()));
			assertThat(revoked).hasStatusOk();
			assertThat(revoked).bodyJson().extractingPath("$.done").isEqualTo(true);
			assertThat(revoked).bodyJson().extractingPath("$.remaining").asString().startsWith("PT1");
			assertThat(body(revoked)).doesNotContain("precious");
			assertThat(blacklist.check(TOKEN)).isEqualTo(TokenStatus.REVOKED);
			for (String kind : List.of("session", "subject", "client")) {
				assertThat(post(mvc, "/" + kind,
						"{\"action\": \"revoke\", \"issuer\": \"%s\", \"value\": \"one\"}".formatted(ISSUER)))
					.bodyJson()
					.extractingPath("$.done")
					.isEqualTo(true);
			}
			assertThat(blacklist.check(token("one", null, null))).isEqualTo(TokenStatus.SUBJECT_REVOKED);
			assertThat(blacklist.check(token("anna", "one", null))).isEqualTo(TokenStatus.SESSION_REVOKED);
			assertThat(blacklist.check(token("anna", null, "one"))).isEqualTo(TokenStatus.CLIENT_REVOKED);
			MvcTestResult block = post(mvc, "/block?value=10.0.0.1&value=x",
					"{\"action\": \"block\", \"list\": \"ips\", \"duration\": \"10m\"}");
			assertThat(block).bodyJson().extractingPath("$.remaining").isEqualTo("PT10M");
			assertThat(blacklist.isBlocked("ips", List.of("10.0.0.1", "x"))).isTrue();
			for (boolean first : new boolean[] { true, false }) {
				assertThat(post(mvc, "/block",
						"{\"action\": \"unblock\", \"hash\": \"%s\"}".formatted(text(block, "$.hash"))))
					.bodyJson()
					.extractingPath("$.done")
					.isEqualTo(first);
			}
			assertThat(blacklist.isBlocked("ips", List.of("10.0.0.1", "x"))).isFalse();
			blacklist.block("ips", "10.0.0.2", Duration.ofMinutes(1));
			assertThat(post(mvc, "/block", "{\"action\": \"unblock\", \"list\": \"ips\", \"value\": \"10.0.0.2\"}"))
				.bodyJson()
				.extractingPath("$.done")
				.isEqualTo(true);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "token", "session", "subject", "client" })
	void issuerIsNamedOrExplicitlyNone(String kind) {
		run(this.writing, (blacklist, mvc) -> {
			String body = "{\"action\": \"revoke\", \"value\": \"a\"%s"
					+ (kind.equals("token") ? ", \"expires\": " + LATER.getEpochSecond() : "") + "}";
			blacklist.check(TOKEN);
			MvcTestResult missing = post(mvc, "/" + kind, body.formatted(""));
			assertProblem(missing, "issuer");
			assertThat(missing).bodyJson()
				.extractingPath("$.detail")
				.isEqualTo("issuer is missing. Set it to the iss claim of the tokens, in use: " + ISSUER
						+ "; or to none if they have no issuer.");
			assertProblem(post(mvc, "/" + kind, "{\"action\": \"look\", \"value\": \"a\"}"), "issuer");
			assertThat(post(mvc, "/" + kind, body.formatted(", \"issuer\": \"none\""))).bodyJson()
				.extractingPath("$.done")
				.isEqualTo(true);
			TokenIdentity bare = new TokenIdentity(null, kind.equals("token") ? "a" : "b", "a", Instant.now(), LATER,
					null, "a", "a");
			assertThat(blacklist.check(bare)).isNotEqualTo(TokenStatus.CLEAR);
		});
	}

	@Test
	@Wide
	void saysWhatIsWrongWithARequest() {
		run(this.writing, (blacklist, mvc) -> {
			assertThat(mvc.get().uri(BLACKLIST + "/tokens?hash=1")).hasStatus(HttpStatus.NOT_FOUND);
			assertThat(mvc.delete().uri(BLACKLIST + "/token")).hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
			for (String query : List.of("", "?hash=1", "?hash=" + "x".repeat(32))) {
				assertProblem(mvc.get().uri(BLACKLIST + "/token" + query).exchange(), "hash");
			}
			assertProblem(mvc.get().uri(BLACKLIST + "/token?value=precious-id").exchange(), "value");
			assertProblem(post(mvc, "/token", "{}"), "action");
			assertProblem(post(mvc, "/token", "{\"action\": \"block\"}"), "action");
			assertProblem(post(mvc, "/token", "{\"action\": \"look\"}"), "value");
			assertProblem(post(mvc, "/token", "{\"action\": \"revoke\", \"value\": \"a\"}"), "expires");
			assertProblem(post(mvc, "/token", "{\"action\": \"revoke\", \"value\": \"a\", \"expires\": -1}"),
					"expires");
			assertProblem(post(mvc, "/subject?value=a&value=b", "{\"action\": \"revoke\"}"), "value");
			assertProblem(post(mvc, "/subject", "{\"action\": \"revoke\", \"value\": \"a\", \"list\": \"b\"}"), "list");
			assertProblem(post(mvc, "/subject",
					"{\"action\": \"revoke\", \"issuer\": \"none\", \"value\": \"a\", \"reason\": \"" + "x".repeat(201)
							+ "\"}"),
					"reason");
			assertProblem(post(mvc, "/block", "{\"action\": \"block\", \"value\": \"a\", \"duration\": \"1m\"}"),
					"list");
			for (String duration : List.of("", ", \"duration\": \"0s\"", ", \"duration\": \"long\"")) {
				assertProblem(
						post(mvc, "/block",
								"{\"action\": \"block\", \"list\": \"a\", \"value\": \"a\"" + duration + "}"),
						"duration");
			}
			assertProblem(post(mvc, "/block", "{\"action\": \"unblock\", \"hash\": \"1\"}"), "hash");
			assertProblem(post(mvc, "/block",
					"{\"action\": \"unblock\", \"list\": \"a\", \"value\": \"a\", \"hash\": \"1\"}"), "hash");
		});
	}

	@Test
	@Wide
	void changesNothingWithoutWriteAccess() {
		run(this.reading, (blacklist, mvc) -> {
			String body = "{\"action\": \"revoke\", \"value\": \"a\", \"expires\": " + LATER.getEpochSecond() + "}";
			assertThat(post(mvc, "/token", body).getResponse().getStatus()).isBetween(400, 499);
			assertThat(blacklist.check(TokenIdentity.of(null, "a", LATER))).isEqualTo(TokenStatus.CLEAR);
		});
	}

	private static TokenIdentity token(String subject, String session, String client) {
		return new TokenIdentity(ISSUER, "other", subject, Instant.now(), LATER, null, session, client);
	}

	private static void assertProblem(MvcTestResult result, String parameter) {
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(result).bodyJson().extractingPath("$.parameter").isEqualTo(parameter);
	}

	private static MvcTestResult post(MockMvcTester mvc, String path, String body) {
		return mvc.post().uri(BLACKLIST + path).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
	}

	private static void run(WebApplicationContextRunner runner, BiConsumer<TokenBlacklist, MockMvcTester> use) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			use.accept(context.getBean(TokenBlacklist.class), MockMvcTester.from(context));
		});
	}

	private static String text(MvcTestResult result, String path) {
		return JsonPath.read(body(result), path);
	}

	private static String body(MvcTestResult result) {
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

}
