// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import io.ge.redis.web.limit.StructuredFieldList;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Rules in an application with a {@code SecurityFilterChain} of its own and a handler
 * that catches everything, called over HTTP. The test is the proxy in front.
 */
@Wide
class RequestRulesIntegrationTests {

	private static final String[] RULES = {
			// @formatter:off
			"trusted-hops=1",
			"limits.burst.limit=3", "limits.burst.window=10s",
			"limits.quota.limit=100", "limits.quota.window=1h",
			"rules[0].name=login", "rules[0].path=/login/**", "rules[0].methods=POST,get",
			"rules[0].key=client-address", "rules[0].limit=3", "rules[0].window=1h",
			"rules[1].name=me", "rules[1].path=/me/**", "rules[1].key=principal", "rules[1].limit=2",
			"rules[2].name=machines", "rules[2].path=/machines", "rules[2].key=header:X-Api-Key", "rules[2].limit=1",
			"rules[3].name=tenants", "rules[3].path=/tenants", "rules[3].limit=1",
			"rules[3].key=#request.getHeader('X-Tenant')", "rules[3].on-empty-key=skip",
			"rules[4].path=/seconds", "rules[4].limit=2", "rules[4].window=1s",
			"rules[5].path=/both,/both/{id}", "rules[5].limits=burst,quota", "rules[5].key=client-address",
			"rules[6].name=both-users", "rules[6].path=/both/**", "rules[6].key=principal", "rules[6].limit=2",
			"rules[6].on-empty-key=shared",
			"rules[7].name=once", "rules[7].path=/once/**", "rules[7].limit=10",
			"rules[8].name=heavy", "rules[8].path=/heavy", "rules[8].limit=10", "rules[8].cost=4",
			"rules[9].name=again", "rules[9].path=/both/{id}", "rules[9].limits=quota", "rules[9].key=client-address",
			"rules[10].name=session", "rules[10].path=/session", "rules[10].limit=1",
			"rules[10].key=#request.userPrincipal?.name", "rules[10].phase=after-authentication" };
			// @formatter:on

	private static ConfigurableApplicationContext application;

	private static final AtomicInteger CLIENTS = new AtomicInteger();

	private final HttpClient client = HttpClient.newHttpClient();

	// Refusals are remembered even if Redis forgets, so each test is a client of its own
	private final String address = "203.0.113." + CLIENTS.incrementAndGet();

	@BeforeAll
	static void start() {
		application = start(Configured.class, RULES);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	void admittedRequestTellsWhereItsLimitStands() throws Exception {
		HttpResponse<String> response = get("/login", "X-Forwarded-For", this.address);
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(policies(response))
			.containsExactly(new StructuredFieldList.Item("login", Map.of("q", 3L, "w", 3600L)));
		assertThat(limits(response))
			.containsExactly(new StructuredFieldList.Item("login", Map.of("r", 2L, "t", 3600L)));
	}

	@Test
	void refusedRequestIsTheProblemThatControllersAnswerWith() throws Exception {
		for (int i = 0; i < 3; i++) {
			assertThat(post("/login", "X-Forwarded-For", this.address).statusCode()).isEqualTo(200);
		}
		HttpResponse<String> refused = post("/login", "X-Forwarded-For", this.address);
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(Integer.parseInt(refused.headers().firstValue("Retry-After").orElseThrow())).isBetween(3500, 3600);
		assertThat(limits(refused)).hasSize(1);
		assertThat(limits(refused).get(0).number("r")).isZero();
		assertThat(limits(refused).get(0).number("t")).isBetween(3500L, 3600L);
		JsonNode problem = JsonMapper.shared().readTree(refused.body());
		assertThat(problem.get("type").asString())
			.isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
		assertThat(problem.get("status").asInt()).isEqualTo(429);
		assertThat(problem.get("instance").asString()).isEqualTo("/login");
		assertThat(problem.get("violated-policies")).extracting(JsonNode::asString).containsExactly("login");
		assertThat(problem.get("support").asString()).isEqualTo("desk@example.org");
		assertThat(post("/login", "X-Forwarded-For", "198.51.100.1").statusCode()).isEqualTo(200);
		assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
	}

	@Test
	void forgedForwardingBuysNothing() throws Exception {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			statuses.add(get("/login", "X-Forwarded-For", "6.6.6." + i + ", 127.0.0.1, " + this.address, "Forwarded",
					"for=6.6.6." + i, "X-Real-IP", "6.6.6." + i)
				.statusCode());
		}
		assertThat(statuses).containsExactly(200, 200, 200, 429, 429);
	}

	@Test
	void addressesOfOneNetworkAreOneClient() throws Exception {
		List<Integer> statuses = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			statuses.add(get("/login", "X-Forwarded-For", "2001:db8:1:2:a:b:c:" + i).statusCode());
		}
		assertThat(statuses).containsExactly(200, 200, 200, 429);
		assertThat(get("/login", "X-Forwarded-For", "2001:db8:1:3::1").statusCode()).isEqualTo(200);
	}

	@Test
	void otherSpellingsOfPathAndMethodAreNoWayAround() throws Exception {
		String[] spellings = { "/login", "/%6Cogin", "/login;a=b", "/login/deeper" };
		long remaining = 3;
		for (String spelling : spellings) {
			HttpResponse<String> response = get(spelling, "X-Forwarded-For", this.address);
			assertThat(limits(response).get(0).number("r")).as(spelling).isEqualTo(Math.max(0, --remaining));
		}
		HttpResponse<Void> head = this.client
			.send(request("/login", "X-Forwarded-For", this.address).method("HEAD", HttpRequest.BodyPublishers.noBody())
				.build(), HttpResponse.BodyHandlers.discarding());
		assertThat(head.statusCode()).isEqualTo(429);
	}

	@Test
	void otherMethodsAndPathsAreNotLimited() throws Exception {
		HttpRequest put = request("/login").PUT(HttpRequest.BodyPublishers.noBody()).build();
		assertThat(send(put).headers().map()).doesNotContainKey("RateLimit");
		HttpResponse<String> free = get("/free");
		assertThat(free.statusCode()).isEqualTo(200);
		assertThat(free.headers().map()).doesNotContainKey("RateLimit");
	}

	@Test
	void exactlyTheLimitIsAdmittedOfTenAtOnce() throws Exception {
		List<CompletableFuture<HttpResponse<String>>> running = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			running.add(this.client.sendAsync(request("/login", "X-Forwarded-For", this.address).build(),
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
	void whoWaitsForRetryAfterIsAdmitted() throws Exception {
		for (int i = 0; i < 3; i++) {
			HttpResponse<String> response = get("/seconds");
			while (response.statusCode() == 200) {
				response = get("/seconds");
			}
			assertThat(response.statusCode()).isEqualTo(429);
			assertThat(response.headers().firstValue("Retry-After")).contains("1");
			Thread.sleep(1000);
			assertThat(get("/seconds").statusCode()).isEqualTo(200);
		}
	}

	@Test
	void principalsAreLimitedOneByOneAfterAuthentication() throws Exception {
		assertThat(get("/me", "Authorization", basic("anna")).body()).isEqualTo("anna");
		assertThat(get("/me", "Authorization", basic("anna")).statusCode()).isEqualTo(200);
		assertThat(get("/me", "Authorization", basic("anna")).statusCode()).isEqualTo(429);
		assertThat(get("/me", "Authorization", basic("boris")).statusCode()).isEqualTo(200);
		HttpResponse<String> stranger = get("/me");
		assertThat(stranger.statusCode()).isEqualTo(401);
		assertThat(stranger.headers().map()).doesNotContainKey("RateLimit");
	}

	@Test
	void requestsAreLimitedBeforeTheyAreAuthenticated() throws Exception {
		for (int i = 0; i < 3; i++) {
			assertThat(get("/login/secret", "X-Forwarded-For", this.address, "Authorization", basic("mallory"))
				.statusCode()).isEqualTo(401);
		}
		assertThat(
				get("/login/secret", "X-Forwarded-For", this.address, "Authorization", basic("mallory")).statusCode())
			.isEqualTo(429);
	}

	@Test
	void headersAreLimitedByTheirHash() throws Exception {
		assertThat(get("/machines", "X-Api-Key", "s3cret-key").statusCode()).isEqualTo(200);
		assertThat(get("/machines", "X-Api-Key", "s3cret-key").statusCode()).isEqualTo(429);
		assertThat(get("/machines", "X-Api-Key", "other-key").statusCode()).isEqualTo(200);
		assertThat((List<?>) SharedRedis.standalone().primary().command("KEYS", "*")).isNotEmpty()
			.noneMatch((key) -> key.toString().contains("s3cret"));
	}

	@Test
	void requestWithoutKeyIsBadUnlessTheRuleSaysOtherwise() throws Exception {
		for (String[] headers : new String[][] { {}, { "X-Api-Key", " " } }) {
			HttpResponse<String> bad = get("/machines", headers);
			assertThat(bad.statusCode()).isEqualTo(400);
			assertThat(bad.headers().firstValue("Content-Type")).contains("application/problem+json");
			assertThat(JsonMapper.shared().readTree(bad.body()).get("type").asString())
				.isEqualTo("urn:ge-redis:problem:key-missing");
		}
		for (int i = 0; i < 2; i++) {
			HttpResponse<String> skipped = get("/tenants");
			assertThat(skipped.statusCode()).isEqualTo(200);
			assertThat(skipped.headers().map()).doesNotContainKey("RateLimit");
		}
		assertThat(get("/tenants", "X-Tenant", "acme").statusCode()).isEqualTo(200);
		assertThat(get("/tenants", "X-Tenant", "acme").statusCode()).isEqualTo(429);
		assertThat(get("/tenants", "X-Tenant", "apex").statusCode()).isEqualTo(200);
	}

	@Test
	void expressionSeesTheAuthenticatedRequest() throws Exception {
		assertThat(get("/session", "Authorization", basic("anna")).statusCode()).isEqualTo(200);
		assertThat(get("/session", "Authorization", basic("anna")).statusCode()).isEqualTo(429);
		assertThat(get("/session", "Authorization", basic("boris")).statusCode()).isEqualTo(200);
		assertThat(get("/session").statusCode()).isEqualTo(400);
	}

	@Test
	void limitsOfAllRulesAndMethodsAreOneField() throws Exception {
		HttpResponse<String> first = get("/both/1", "X-Forwarded-For", this.address);
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(limits(first)).extracting(StructuredFieldList.Item::name, (item) -> item.number("r"))
			.containsExactly(tuple("both-users", 1L), tuple("burst", 2L), tuple("method", 4L), tuple("quota", 99L));
		assertThat(policies(first)).extracting(StructuredFieldList.Item::name)
			.containsExactly("both-users", "burst", "method", "quota");
		get("/both/1", "X-Forwarded-For", this.address);
		HttpResponse<String> refused = get("/both/1", "X-Forwarded-For", this.address);
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(refused.headers().allValues("RateLimit")).hasSize(1);
		assertThat(limits(refused)).extracting(StructuredFieldList.Item::name, (item) -> item.number("r"))
			.startsWith(tuple("both-users", 0L))
			.contains(tuple("burst", 0L), tuple("quota", 97L));
	}

	@Test
	void allOrNothingWithinAPhase() throws Exception {
		for (int i = 0; i < 3; i++) {
			get("/both", "X-Forwarded-For", this.address, "Authorization", basic((i < 2) ? "anna" : "boris"));
		}
		HttpResponse<String> refused = get("/both", "X-Forwarded-For", this.address, "Authorization", basic("boris"));
		assertThat(refused.statusCode()).isEqualTo(429);
		RateLimiter limiter = application.getBean(RateLimiter.class);
		assertThat(limiter.tryAcquire("quota", this.address).quotas().get(0).remaining()).isEqualTo(96);
	}

	@Test
	void limitOfARuleIsKnownByItsName() throws Exception {
		get("/login", "X-Forwarded-For", this.address);
		RateLimiter limiter = application.getBean(RateLimiter.class);
		assertThat(limiter.tryAcquire("login", this.address).quotas().get(0).remaining()).isEqualTo(1);
		get("/seconds");
		assertThat(limiter.tryAcquire("/seconds", "somebody").isAllowed()).isTrue();
	}

	@Test
	void ruleTakesItsCost() throws Exception {
		assertThat(limits(get("/heavy")).get(0).number("r")).isEqualTo(6);
		assertThat(limits(get("/heavy")).get(0).number("r")).isEqualTo(2);
		HttpResponse<String> refused = get("/heavy");
		assertThat(refused.statusCode()).isEqualTo(429);
		assertThat(limits(refused).get(0).number("r")).isEqualTo(2);
	}

	@Test
	void requestThatIsDispatchedAgainCountsOnce() throws Exception {
		assertThat(get("/once/later").body()).isEqualTo("later");
		HttpResponse<String> failed = get("/once/error");
		assertThat(failed.statusCode()).isEqualTo(418);
		assertThat(failed.body()).contains("\"status\":418");
		assertThat(limits(get("/once")).get(0).number("r")).isEqualTo(7);
	}

	private static String basic(String user) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":pass").getBytes(StandardCharsets.UTF_8));
	}

	private static List<StructuredFieldList.Item> limits(HttpResponse<?> response) {
		return StructuredFieldList.parse(response.headers().allValues("RateLimit"));
	}

	private static List<StructuredFieldList.Item> policies(HttpResponse<?> response) {
		return StructuredFieldList.parse(response.headers().allValues("RateLimit-Policy"));
	}

	private HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
		return send(request(path, headers).build());
	}

	private HttpResponse<String> post(String path, String... headers) throws IOException, InterruptedException {
		return send(request(path, headers).POST(HttpRequest.BodyPublishers.noBody()).build());
	}

	private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
		return this.client.send(request, HttpResponse.BodyHandlers.ofString());
	}

	private static HttpRequest.Builder request(String path, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(
				URI.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path));
		return (headers.length > 0) ? request.headers(headers) : request;
	}

	private static ConfigurableApplicationContext start(Class<?> configuration, String... rules) {
		Stream<String> own = Stream.of(rules).map((rule) -> "ge.redis.rate-limit." + rule);
		Stream<String> common = Stream.of("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
				"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		return new SpringApplication(configuration).run(Stream.of(Stream.of(SharedRedis.properties()), common, own)
			.flatMap((properties) -> properties)
			.map((property) -> "--" + property)
			.toArray(String[]::new));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Controller.class, WebContract.CatchAll.class, WebContract.Support.class })
	static class Configured {

		@Bean
		SecurityFilterChain security(HttpSecurity http) throws Exception {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/me/**", "/login/secret")
					.authenticated()
					.anyRequest()
					.permitAll())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			// The manager itself would replace a plain password by a costly one at the
			// first login
			return new InMemoryUserDetailsManager(Stream.of("anna", "boris")
				.map((name) -> User.withUsername(name).password("{noop}pass").build())
				.toList())::loadUserByUsername;
		}

	}

	@RestController
	static class Controller {

		@RequestMapping({ "/login", "/login/deeper", "/login/secret", "/free", "/seconds", "/machines", "/tenants",
				"/session", "/both", "/once", "/heavy" })
		public String done() {
			return "done";
		}

		@GetMapping("/me")
		public String me(Principal principal) {
			return principal.getName();
		}

		@RateLimited(name = "method", limit = 5)
		@GetMapping("/both/{id}")
		public String both() {
			return "both";
		}

		@GetMapping("/once/later")
		public Callable<String> later() {
			return () -> "later";
		}

		@GetMapping("/once/error")
		public void error(HttpServletResponse response) throws IOException {
			response.sendError(418);
		}

	}

}
