// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.internal.BlacklistPattern;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.FirstRun;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Starts;
import io.ge.redis.web.limit.StructuredFieldList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.oauth2.jose.jws.MacAlgorithm;
import org.springframework.security.oauth2.jwt.JwtClaimsSet;
import org.springframework.security.oauth2.jwt.JwtEncoderParameters;
import org.springframework.security.oauth2.jwt.NimbusJwtEncoder;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.cors.CorsConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * What clients of a guarded application see, whichever web stack it runs on: the same
 * requests to two applications over HTTP. Each has a security chain of its own, is behind
 * one proxy, and has handlers that catch everything.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WebContract {

	static final String PAGE = "https://shop.example.org";

	static final SecretKey KEY = new SecretKeySpec(
			"a key that is long enough for HS256".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final String ISSUER = "https://issuer.example";

	private static final String[] RULES = {
			// @formatter:off
			"trusted-hops=1",
			"limits.burst.limit=3", "limits.burst.window=10s",
			"limits.quota.limit=100", "limits.quota.window=1h",
			"rules[0].name=login", "rules[0].path=/login/**", "rules[0].methods=get",
			"rules[0].key=client-address", "rules[0].limit=3", "rules[0].window=1h",
			"rules[1].name=me", "rules[1].path=/me/**", "rules[1].key=principal", "rules[1].limit=2",
			"rules[2].name=machines", "rules[2].path=/machines", "rules[2].key=header:X-Api-Key", "rules[2].limit=1",
			"rules[3].name=tenants", "rules[3].path=/tenants", "rules[3].limit=1", "rules[3].on-empty-key=skip",
			"rules[4].path=/both/**", "rules[4].limits=burst,quota", "rules[4].key=client-address",
			"rules[5].name=secured", "rules[5].path=/secured/**", "rules[5].limit=1",
			"rules[6].name=handler", "rules[6].path=/handler/**", "rules[6].limit=1",
			"rules[7].name=plain", "rules[7].path=/plain/**", "rules[7].limit=1",
			"rules[8].name=after", "rules[8].path=/after/**", "rules[8].limit=1",
			"rules[8].phase=after-authentication",
			"rules[9].name=strict-before", "rules[9].path=/strict/before", "rules[9].limit=100",
			"rules[10].name=strict-after", "rules[10].path=/strict/after", "rules[10].limit=100",
			"rules[10].phase=after-authentication",
			"limits.strict-before.on-outage=deny", "limits.strict-after.on-outage=deny",
			"rules[11].name=heavy", "rules[11].path=/heavy", "rules[11].limit=10", "rules[11].cost=4",
			"rules[12].name=once", "rules[12].path=/once/**", "rules[12].limit=10",
			"rules[13].name=results", "rules[13].path=/results/**", "rules[13].limit=1000" };
			// @formatter:on

	private static final AtomicInteger NUMBER = new AtomicInteger();

	private final HttpClient client = HttpClient.newHttpClient();

	private StandaloneRedis redis;

	private ConfigurableApplicationContext application;

	/**
	 * Returns what runs the application.
	 */
	abstract WebApplicationType type();

	/**
	 * Returns the application.
	 */
	abstract Class<?> configuration();

	/**
	 * Returns an expression for the header {@code X-Tenant}.
	 */
	abstract String tenant();

	/**
	 * Returns the types of results, by their names in paths.
	 */
	List<String> results() {
		return List.of("mono-void", "mono-status", "flux-void", "future-void", "mono-entity", "mono", "flux", "future");
	}

	@BeforeAll
	void start() {
		this.redis = RedisServers.standalone();
		SpringApplication starting = new SpringApplication(configuration());
		starting.setWebApplicationType(type());
		Stream<String> rules = Stream.of(RULES).map((rule) -> "ge.redis.rate-limit." + rule);
		Stream<String> common = Stream.of("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
				// Reactor Netty 1.3.6 and 1.3.7 may stop reading a connection that is
				// kept
				// (reactor-netty#4361)
				"server.netty.max-keep-alive-requests=1", "ge.redis.rate-limit.rules[3].key=" + tenant(),
				"ge.redis.outage.command-timeout=2500ms", "ge.redis.outage.failure-threshold=1000000",
				"ge.redis.lock.http-status=423", "ge.redis.blacklist.max-staleness=500ms",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		String[] arguments = Stream.of(Stream.of(this.redis.properties()), common, rules)
			.flatMap((properties) -> properties)
			.map((property) -> "--" + property)
			.toArray(String[]::new);
		this.application = Starts.alone(() -> starting.run(arguments));
	}

	@AfterAll
	void stop() {
		if (this.application != null) {
			this.application.close();
		}
		this.redis.close();
	}

	@Test
	void admittedCallTellsWhereItsLimitsStand() throws Exception {
		HttpResponse<String> response = get("/tasks/" + fresh());
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.headers().allValues("RateLimit-Policy"))
			.containsExactly("\"tasks\";q=2;w=60, \"daily\";q=100;w=86400");
		assertThat(response.headers().allValues("RateLimit"))
			.containsExactly("\"tasks\";r=1;t=60, \"daily\";r=99;t=86400");
	}

	@Test
	@FirstRun
	void refusedCallIsAProblemWithTimeToWait() throws Exception {
		String path = "/tasks/" + fresh();
		exhaust(path);
		HttpResponse<String> refused = get(path);
		assertRefused(refused, path, "tasks");
		assertThat(waitOf(refused)).isBetween(30, 60);
		assertThat(refused.headers().firstValue("RateLimit").orElseThrow()).startsWith("\"tasks\";r=0;t=");
		assertThat(refused.headers().allValues("RateLimit")).hasSize(1);
		assertThat(json(refused).get("support").asString()).isEqualTo("desk@example.org");
	}

	@Test
	@FirstRun
	void browserGetsTheErrorPageOfTheApplication() throws Exception {
		String browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
		for (String path : List.of("/tasks/" + fresh(), "/plain/page", "/after/page")) {
			exhaust(path);
			HttpResponse<String> page = get(path, "Accept", browser);
			assertThat(page.statusCode()).as(path).isEqualTo(429);
			assertThat(page.headers().firstValue("Content-Type").orElseThrow()).as(path).startsWith("text/html");
			assertThat(page.body()).as(path).contains("Whitelabel Error Page", "429");
			assertThat(waitOf(page)).as(path).isPositive();
			assertThat(page.headers().firstValue("RateLimit")).as(path).isPresent();
			for (String other : List.of("*/*", "application/json", "text/html, application/json;q=0.1", "image/png")) {
				assertThat(get(path, "Accept", other).headers().firstValue("Content-Type")).as(other)
					.contains("application/problem+json");
			}
		}
		HttpResponse<String> locked = get("/locked", "Accept", browser);
		assertThat(locked.statusCode()).isEqualTo(423);
		assertThat(locked.body()).contains("Whitelabel Error Page");
	}

	@Test
	void refusalSurvivesHandlersOfEverythingInAdviceAndController() throws Exception {
		for (String path : List.of("/tasks/" + fresh(), "/local/" + fresh(), "/gone/" + fresh())) {
			exhaust(path);
			assertThat(get(path).statusCode()).as(path).isEqualTo(429);
		}
		HttpResponse<String> failed = get("/failing");
		assertThat(failed.statusCode()).isEqualTo(500);
		assertThat(failed.body()).isEqualTo("all");
		HttpResponse<String> local = get("/local-failing");
		assertThat(local.statusCode()).isEqualTo(500);
		assertThat(local.body()).isEqualTo("local");
	}

	@Test
	void everyTypeOfResultIsRefusedAlike() throws Exception {
		for (String type : results()) {
			String path = "/results/" + type + "/" + fresh();
			assertThat(get(path).statusCode()).as(path).isIn(200, 204);
			HttpResponse<String> refused = get(path);
			assertThat(refused.statusCode()).as(path).isEqualTo(429);
			assertRefused(refused, path, "result");
			List<StructuredFieldList.Item> limits = items(refused, "RateLimit");
			assertThat(limits).as(path).extracting(StructuredFieldList.Item::name).containsExactly("result", "results");
			assertThat(limits.get(0).number("r")).as(path).isZero();
			assertThat(items(refused, "RateLimit-Policy")).as(path).hasSize(2);
		}
	}

	@Test
	void duplicateInFlightOfAHandlerWithoutAnswerIsAConflict() throws Exception {
		HttpRequest sale = request("/results/sale", "Idempotency-Key", fresh())
			.POST(HttpRequest.BodyPublishers.noBody())
			.build();
		CompletableFuture<HttpResponse<String>> first = this.client.sendAsync(sale,
				HttpResponse.BodyHandlers.ofString());
		ResultDesk desk = this.application.getBean(ResultDesk.class);
		assertThat(desk.selling().await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		HttpResponse<String> second = send(sale);
		desk.sold().tryEmitEmpty();
		assertThat(second.statusCode()).isEqualTo(409);
		assertThat(json(second).get("type").asString()).endsWith("request-in-flight");
		assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).statusCode()).isEqualTo(200);
	}

	@Test
	void refusalYieldsToHandlerOfOurType() throws Exception {
		String path = "/own/" + fresh();
		exhaust(path);
		HttpResponse<String> refused = get(path);
		assertThat(refused.statusCode()).isEqualTo(418);
		assertThat(refused.body()).isEqualTo("own");
		assertThat(refused.headers().firstValue("RateLimit")).isPresent();
	}

	@Test
	void callThatNamesNobodyIsABadRequest() throws Exception {
		HttpResponse<String> bad = get("/optional?agent=");
		assertThat(bad.statusCode()).isEqualTo(400);
		assertThat(json(bad).get("type").asString()).isEqualTo("urn:ge-redis:problem:key-missing");
		assertThat(get("/optional?agent=" + fresh()).statusCode()).isEqualTo(200);
	}

	@Test
	void lockThatIsHeldIsAProblem() throws Exception {
		HttpResponse<String> locked = get("/locked");
		assertThat(locked.statusCode()).isEqualTo(423);
		assertThat(locked.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(locked.headers().firstValue("Retry-After")).contains("7");
		assertThat(json(locked).get("type").asString()).isEqualTo("urn:ge-redis:problem:lock-not-acquired");
	}

	@Test
	void valueThatAnotherCallerIsStillLoadingIsUnavailable() throws Exception {
		HttpResponse<String> late = get("/loading");
		assertUnavailable(late, "/loading");
	}

	@Test
	void blockedSubjectIsForbidden() throws Exception {
		String address = fresh();
		assertThat(get("/addresses/" + address).statusCode()).isEqualTo(200);
		this.application.getBean(TokenBlacklist.class).block("addresses", address, Duration.ofMinutes(1));
		HttpResponse<String> blocked = get("/addresses/" + address);
		assertThat(blocked.statusCode()).isEqualTo(403);
		assertThat(json(blocked).get("type").asString()).isEqualTo("urn:ge-redis:problem:subject-blocked");
	}

	@Test
	@FirstRun
	void tokenOfTheCallerIsChecked() throws Exception {
		String id = fresh();
		String token = jwt("anna", id);
		assertThat(get("/token", bearer(token)).body()).isEqualTo("good");
		assertThat(get("/token").statusCode()).isEqualTo(401);
		this.application.getBean(TokenBlacklist.class).revoke(ISSUER, id, Instant.now().plusSeconds(300));
		HttpResponse<String> revoked = get("/token", bearer(token));
		assertThat(revoked.statusCode()).isEqualTo(401);
		assertThat(revoked.headers().firstValue("WWW-Authenticate").orElseThrow())
			.startsWith("Bearer error=\"invalid_token\"");
		assertThat(json(revoked).get("type").asString()).isEqualTo("urn:ge-redis:problem:token-revoked");
	}

	@Test
	void refusalOfTheCheckItselfIsAnInvalidToken() throws Exception {
		HttpResponse<String> revoked = get("/revoked");
		assertThat(revoked.statusCode()).isEqualTo(401);
		assertThat(revoked.headers().firstValue("WWW-Authenticate").orElseThrow())
			.startsWith("Bearer error=\"invalid_token\", error_description=");
		assertThat(json(revoked).get("type").asString()).isEqualTo("urn:ge-redis:problem:token-revoked");
	}

	@Test
	@FirstRun
	void hangingRedisIsUnavailableInHandlersAndRulesAndInsideOfSecurity() throws Exception {
		String bearer = bearer(jwt("anna", fresh()))[1];
		this.redis.primary().pause();
		try {
			// Until then memory answers, as it should
			await().atMost(PATIENCE).until(() -> !this.application.getBean(BlacklistPattern.class).isFresh());
			List<String> paths = List.of("/strict/call", "/strict/before", "/strict/after", "/me");
			List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
			for (String path : paths) {
				String[] headers = path.equals("/me") ? new String[] { "Authorization", bearer } : new String[0];
				asked.add(this.client.sendAsync(request(path, headers).build(), HttpResponse.BodyHandlers.ofString()));
			}
			for (String path : paths) {
				assertUnavailable(asked.get(paths.indexOf(path)).get(), path);
			}
		}
		finally {
			this.redis.primary().resume();
		}
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(get("/strict/call").statusCode()).isEqualTo(200));
	}

	@Test
	@FirstRun
	void ruleTellsWhereItsLimitStandsAndRefuses() throws Exception {
		String client = address();
		HttpResponse<String> first = get("/login", "X-Forwarded-For", client);
		assertThat(items(first, "RateLimit-Policy"))
			.containsExactly(new StructuredFieldList.Item("login", Map.of("q", 3L, "w", 3600L)));
		assertThat(items(first, "RateLimit"))
			.containsExactly(new StructuredFieldList.Item("login", Map.of("r", 2L, "t", 3600L)));
		get("/login", "X-Forwarded-For", client);
		assertThat(get("/login", "X-Forwarded-For", client).statusCode()).isEqualTo(200);
		HttpResponse<String> refused = get("/login", "X-Forwarded-For", client);
		assertRefused(refused, "/login", "login");
		assertThat(waitOf(refused)).isBetween(3500, 3600);
		assertThat(get("/login", "X-Forwarded-For", address()).statusCode()).isEqualTo(200);
	}

	@Test
	void forgedForwardingBuysNothing() throws Exception {
		String client = address();
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			statuses.add(get("/login", "X-Forwarded-For", "6.6.6." + i + ", 127.0.0.1, " + client, "Forwarded",
					"for=6.6.6." + i, "X-Real-IP", "6.6.6." + i)
				.statusCode());
		}
		assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
	}

	@Test
	void otherSpellingsOfPathAndMethodAreNoWayAround() throws Exception {
		String client = address();
		long remaining = 3;
		for (String spelling : List.of("/login", "/%6Cogin", "/login;a=b", "/login/deeper")) {
			HttpResponse<String> response = get(spelling, "X-Forwarded-For", client);
			assertThat(items(response, "RateLimit").get(0).number("r")).as(spelling)
				.isEqualTo(Math.max(0, --remaining));
		}
		HttpRequest head = request("/login", "X-Forwarded-For", client)
			.method("HEAD", HttpRequest.BodyPublishers.noBody())
			.build();
		assertThat(send(head).statusCode()).isEqualTo(429);
	}

	@Test
	void otherPathsAndMethodsAreNotLimited() throws Exception {
		assertThat(get("/free").headers().map()).doesNotContainKey("RateLimit");
		HttpRequest put = request("/login").PUT(HttpRequest.BodyPublishers.noBody()).build();
		assertThat(send(put).headers().map()).doesNotContainKey("RateLimit");
	}

	@Test
	void exactlyTheLimitIsAdmittedOfTenAtOnce() throws Exception {
		String client = address();
		List<CompletableFuture<HttpResponse<String>>> running = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			running.add(this.client.sendAsync(request("/login", "X-Forwarded-For", client).build(),
					HttpResponse.BodyHandlers.ofString()));
		}
		List<Integer> statuses = new ArrayList<>();
		for (CompletableFuture<HttpResponse<String>> one : running) {
			statuses.add(one.get().statusCode());
		}
		assertThat(statuses).filteredOn((status) -> status == 200).hasSize(3);
		assertThat(statuses).filteredOn((status) -> status == 429).hasSize(7);
	}

	@Test
	void principalsAreLimitedOneByOneAfterAuthentication() throws Exception {
		String[] anna = bearer(jwt("anna" + fresh(), fresh()));
		assertThat(get("/me", anna).statusCode()).isEqualTo(200);
		assertThat(get("/me", anna).statusCode()).isEqualTo(200);
		assertThat(get("/me", anna).statusCode()).isEqualTo(429);
		assertThat(get("/me", bearer(jwt("boris" + fresh(), fresh()))).statusCode()).isEqualTo(200);
		HttpResponse<String> stranger = get("/me");
		assertThat(stranger.statusCode()).isEqualTo(401);
		assertThat(stranger.headers().map()).doesNotContainKey("RateLimit");
	}

	@Test
	void requestsAreLimitedBeforeTheyAreAuthenticated() throws Exception {
		String client = address();
		for (int i = 0; i < 3; i++) {
			assertThat(get("/login/secret", "X-Forwarded-For", client).statusCode()).isEqualTo(401);
		}
		assertThat(get("/login/secret", "X-Forwarded-For", client).statusCode()).isEqualTo(429);
	}

	@Test
	void headersAndExpressionsAreKeys() throws Exception {
		String key = fresh();
		assertThat(get("/machines", "X-Api-Key", key).statusCode()).isEqualTo(200);
		assertThat(get("/machines", "X-Api-Key", key).statusCode()).isEqualTo(429);
		assertThat(get("/machines", "X-Api-Key", fresh()).statusCode()).isEqualTo(200);
		HttpResponse<String> bad = get("/machines");
		assertThat(bad.statusCode()).isEqualTo(400);
		assertThat(json(bad).get("type").asString()).isEqualTo("urn:ge-redis:problem:key-missing");
		assertThat(get("/tenants").headers().map()).doesNotContainKey("RateLimit");
		String tenant = fresh();
		assertThat(get("/tenants", "X-Tenant", tenant).statusCode()).isEqualTo(200);
		assertThat(get("/tenants", "X-Tenant", tenant).statusCode()).isEqualTo(429);
	}

	@Test
	void limitsOfAllRulesAndMethodsAreOneField() throws Exception {
		String client = address();
		HttpResponse<String> first = get("/both/" + fresh(), "X-Forwarded-For", client);
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(items(first, "RateLimit")).extracting(StructuredFieldList.Item::name, (item) -> item.number("r"))
			.containsExactly(tuple("burst", 2L), tuple("method", 4L), tuple("quota", 99L));
		assertThat(this.application.getBean(RateLimiter.class).tryAcquire("quota", client).quotas().get(0).remaining())
			.isEqualTo(98);
	}

	@Test
	void limitOfARuleIsKnownByItsName() throws Exception {
		String client = address();
		get("/login", "X-Forwarded-For", client);
		RateLimiter limiter = this.application.getBean(RateLimiter.class);
		assertThat(limiter.tryAcquire("login", client).quotas().get(0).remaining()).isEqualTo(1);
	}

	@Test
	void refusalIsReadableBehindTheCorsFilter() throws Exception {
		for (String path : List.of("/secured/1", "/after/1")) {
			exhaust(path);
			HttpResponse<String> refused = get(path, "Origin", PAGE);
			assertThat(refused.statusCode()).as(path).isEqualTo(429);
			assertThat(refused.headers().allValues("Access-Control-Allow-Origin")).as(path).containsExactly(PAGE);
			assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
		}
		assertThat(get("/secured/1", "Origin", PAGE).headers().firstValue("Access-Control-Expose-Headers"))
			.contains("Retry-After");
		exhaust("/plain/1");
		HttpResponse<String> plain = get("/plain/1", "Origin", PAGE);
		assertThat(plain.statusCode()).isEqualTo(429);
		assertThat(plain.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
	}

	@Test
	void originThatIsNotAllowedIsToldSo() throws Exception {
		exhaust("/secured/2");
		for (String origin : List.of("https://evil.example.org", "null")) {
			HttpResponse<String> refused = get("/secured/2", "Origin", origin);
			assertThat(refused.statusCode()).as(origin).isEqualTo(403);
			assertThat(refused.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
		}
	}

	@Test
	void preflightIsAnsweredAndNotCounted() throws Exception {
		for (String path : List.of("/secured/4", "/handler/4", "/after/4")) {
			for (int i = 0; i < 3; i++) {
				HttpResponse<String> answer = preflight(path);
				assertThat(answer.statusCode()).as(path).isEqualTo(200);
				assertThat(answer.headers().allValues("Access-Control-Allow-Origin")).as(path).containsExactly(PAGE);
				assertThat(answer.headers().firstValue("RateLimit")).as(path).isEmpty();
			}
		}
		// No handler is called for one
		exhaust("/plain/4");
		assertThat(preflight("/plain/4").body()).isEmpty();
		exhaust("/secured/4");
		assertThat(get("/secured/4").statusCode()).isEqualTo(429);
	}

	private void assertRefused(HttpResponse<String> refused, String path, String limit) {
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
		JsonNode problem = json(refused);
		assertThat(problem.get("type").asString())
			.isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
		assertThat(problem.get("status").asInt()).isEqualTo(429);
		assertThat(problem.get("instance").asString()).isEqualTo(path);
		assertThat(problem.get("violated-policies")).extracting(JsonNode::asString).containsExactly(limit);
	}

	private static void assertUnavailable(HttpResponse<String> response, String path) {
		assertThat(response.statusCode()).as(path).isEqualTo(503);
		assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(response.headers().firstValue("Retry-After")).as(path).contains("1");
		assertThat(json(response).get("type").asString())
			.isEqualTo("https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
	}

	/**
	 * Calls a path until it is refused.
	 */
	void exhaust(String path) throws Exception {
		HttpResponse<String> response = get(path);
		for (int i = 0; i < 10 && response.statusCode() / 100 == 2; i++) {
			response = get(path);
		}
		assertThat(response.statusCode()).as(path).isGreaterThanOrEqualTo(400);
	}

	HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
		return send(request(path, headers).build());
	}

	private HttpResponse<String> preflight(String path) throws IOException, InterruptedException {
		return send(request(path, "Origin", PAGE, "Access-Control-Request-Method", "GET")
			.method("OPTIONS", HttpRequest.BodyPublishers.noBody())
			.build());
	}

	private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
		return this.client.send(request, HttpResponse.BodyHandlers.ofString());
	}

	private HttpRequest.Builder request(String path, String... headers) {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create(
					"http://127.0.0.1:" + this.application.getEnvironment().getProperty("local.server.port") + path))
			.timeout(Duration.ofSeconds(30));
		return (headers.length > 0) ? request.headers(headers) : request;
	}

	static JsonNode json(HttpResponse<String> response) {
		return JsonMapper.shared().readTree(response.body());
	}

	private static int waitOf(HttpResponse<?> response) {
		return Integer.parseInt(response.headers().firstValue("Retry-After").orElseThrow());
	}

	static List<StructuredFieldList.Item> items(HttpResponse<?> response, String field) {
		return StructuredFieldList.parse(response.headers().allValues(field));
	}

	// Refusals are remembered, so each test has keys of its own
	static String fresh() {
		return "key-" + NUMBER.incrementAndGet();
	}

	private static String address() {
		return "203.0.113." + NUMBER.incrementAndGet();
	}

	private static String[] bearer(String token) {
		return new String[] { "Authorization", "Bearer " + token };
	}

	private static String jwt(String user, String id) {
		Instant now = Instant.now();
		JwtClaimsSet claims = JwtClaimsSet.builder()
			.issuer(ISSUER)
			.subject(user)
			.id(id)
			.issuedAt(now)
			.expiresAt(now.plusSeconds(300))
			.build();
		return NimbusJwtEncoder.withSecretKey(KEY)
			.algorithm(MacAlgorithm.HS256)
			.build()
			.encode(JwtEncoderParameters.from(claims))
			.getTokenValue();
	}

	/**
	 * Handlers of every type of result that both stacks have.
	 */
	@RestController
	static class ResultDesk {

		private static final String LIMIT = "result";

		private final CountDownLatch selling = new CountDownLatch(1);

		private final Sinks.Empty<Void> sold = Sinks.empty();

		CountDownLatch selling() {
			return this.selling;
		}

		Sinks.Empty<Void> sold() {
			return this.sold;
		}

		@RateLimited(name = LIMIT, key = "#id", limit = 1)
		@GetMapping("/results/mono-void/{id}")
		public Mono<Void> monoVoid(@PathVariable("id") String id) {
			return Mono.empty();
		}

		@RateLimited(name = LIMIT, key = "#id", limit = 1)
		@GetMapping("/results/mono-status/{id}")
		@ResponseStatus(HttpStatus.NO_CONTENT)
		public Mono<Void> monoStatus(@PathVariable("id") String id) {
			return Mono.empty();
		}

		@RateLimited(name = LIMIT, key = "#id", limit = 1)
		@GetMapping("/results/flux-void/{id}")
		public Flux<Void> fluxVoid(@PathVariable("id") String id) {
			return Flux.empty();
		}

		@RateLimited(name = LIMIT, key = "#id", limit = 1)
		@GetMapping("/results/future-void/{id}")
		public CompletableFuture<Void> futureVoid(@PathVariable("id") String id) {
			return CompletableFuture.completedFuture(null);
		}

		@RateLimited(name = LIMIT, key = "#id", limit = 1)
		@GetMapping("/results/mono-entity/{id}")
		public Mono<ResponseEntity<Void>> monoEntity(@PathVariable("id") String id) {
			return Mono.just(ResponseEntity.noContent().build());
		}

		@RateLimited(name = LIMIT, key = "#id", limit = 1)
		@GetMapping("/results/mono/{id}")
		public Mono<String> mono(@PathVariable("id") String id) {
			return Mono.just(id);
		}

		@RateLimited(name = LIMIT, key = "#id", limit = 1)
		@GetMapping("/results/flux/{id}")
		public Flux<String> flux(@PathVariable("id") String id) {
			return Flux.just(id);
		}

		@RateLimited(name = LIMIT, key = "#id", limit = 1)
		@GetMapping("/results/future/{id}")
		public CompletableFuture<String> future(@PathVariable("id") String id) {
			return CompletableFuture.completedFuture(id);
		}

		@Idempotent
		@PostMapping("/results/sale")
		public Mono<Void> sale() {
			return Mono.defer(() -> {
				this.selling.countDown();
				return this.sold.asMono();
			});
		}

	}

	static CorsConfiguration cors() {
		CorsConfiguration cors = new CorsConfiguration();
		cors.setAllowedOrigins(List.of(PAGE));
		cors.setAllowedMethods(List.of("GET", "OPTIONS"));
		cors.setExposedHeaders(List.of("Retry-After"));
		return cors;
	}

	@Configuration(proxyBeanMethods = false)
	static class Support {

		@Bean
		ErrorResponse.Interceptor support() {
			return (detail, response) -> detail.setProperty("support", "desk@example.org");
		}

	}

	@RestControllerAdvice
	static class CatchAll {

		@ExceptionHandler(Exception.class)
		@ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
		String all() {
			return "all";
		}

	}

	/**
	 * For some controllers only.
	 */
	@RestControllerAdvice(annotations = Own.class)
	@Order(0)
	static class OwnHandler {

		@ExceptionHandler(RateLimitExceededException.class)
		@ResponseStatus(HttpStatus.I_AM_A_TEAPOT)
		String own() {
			return "own";
		}

	}

	/**
	 * Marks controllers whose refusals the application answers.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Own {

	}

}
