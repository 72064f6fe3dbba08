// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import com.jayway.jsonpath.JsonPath;
import io.ge.redis.autoconfigure.RateLimitAutoConfiguration;
import io.ge.redis.autoconfigure.RateLimitWebAutoConfiguration;
import io.ge.redis.ratelimit.RateLimited;
import io.ge.redis.ratelimit.RateLimiter;
import io.ge.redis.test.RedisServers;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.StandaloneRedis;
import io.ge.redis.test.Wide;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.context.WebApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint over HTTP, as an operator uses it.
 */
class RateLimitResourceIntegrationTests {

	private static final String ROOT = "/actuator/geredis";

	private static final String LIMITS = ROOT + "/ratelimit";

	/** What others on the same server leave behind is not of this application. */
	private static final String PREFIX = "operated";

	private final WebApplicationContextRunner reading = OperatorApplication
		.with(RateLimitAutoConfiguration.class, RateLimitWebAutoConfiguration.class)
		.withUserConfiguration(Application.class)
		.withPropertyValues(SharedRedis.properties())
		.withPropertyValues("ge.redis.key-prefix=" + PREFIX, "ge.redis.rate-limit.limits.tasks.overrides.vip.limit=50",
				"ge.redis.rate-limit.limits.code.limit=7", "ge.redis.rate-limit.limits.search.limits[0].limit=10",
				"ge.redis.rate-limit.limits.search.limits[0].window=1s",
				"ge.redis.rate-limit.limits.search.limits[1].limit=100",
				"ge.redis.rate-limit.limits.search.limits[1].window=1h", "ge.redis.rate-limit.limits[/api/**].limit=5");

	private final WebApplicationContextRunner writing = this.reading
		.withPropertyValues("management.endpoint.geredis.access=UNRESTRICTED");

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	@Wide
	void rootStaysAsItWas() {
		run(this.reading,
				(context, mvc) -> assertThat(mvc.get().uri(ROOT)).hasStatusOk()
					.bodyJson()
					.extractingPath("$.guards[0].settings.limit.value")
					.isEqualTo(2));
	}

	@Test
	void listsLimitsAsTheyAreNow() {
		run(this.writing, (context, mvc) -> {
			assertThat(post(mvc, "/tasks", "{\"limit\":200,\"window\":\"1m\"}")).hasStatusOk();
			assertThat(post(mvc, "/tasks", "{\"limit\":300,\"key\":\"anna\"}")).hasStatusOk();
			assertThat(post(mvc, "/tasks", "{\"key\":\"boris\",\"action\":\"block\",\"duration\":\"10m\"}"))
				.hasStatusOk();
			context.getBean(Desk.class).submit("anna");
			MvcTestResult result = mvc.get().uri(LIMITS).exchange();
			assertThat(result).hasStatusOk();
			assertThat(result).bodyJson()
				.extractingPath("$.limits[*].name")
				.asArray()
				.containsExactly("/api/**", "code", "search-1h", "search-1s", "tasks");
			assertThat(result).bodyJson()
				.extractingPath("$.limits[4].settings.limit")
				.asMap()
				.containsEntry("value", 200)
				.containsEntry("origin", "ENDPOINT");
			assertThat(result).bodyJson().extractingPath("$.limits[4].overrides").isEqualTo(1);
			assertThat(result).bodyJson().extractingPath("$.limits[4].changes").asMap().containsValue("limit=300");
			assertThat(result).bodyJson().extractingPath("$.limits[4].blocks").asMap().hasSize(1);
			assertThat(body(result)).doesNotContain("anna", "boris");
		});
	}

	@Test
	@Wide
	void mostDeniedKeysAreHashedUnlessConfigured() {
		run(this.reading, (context, mvc) -> {
			hammer(context.getBean(RateLimiter.class));
			MvcTestResult result = mvc.get().uri(LIMITS).exchange();
			assertThat(result).bodyJson().extractingPath("$.mostDenied[0].limit").isEqualTo("tasks");
			assertThat(result).bodyJson().extractingPath("$.mostDenied[0].denials").isEqualTo(3);
			assertThat(body(result)).doesNotContain("anna");
		});
		SharedRedis.standalone().flushAll();
		run(this.reading.withPropertyValues("ge.redis.rate-limit.show-denied-keys=true"), (context, mvc) -> {
			hammer(context.getBean(RateLimiter.class));
			assertThat(mvc.get().uri(LIMITS)).bodyJson().extractingPath("$.mostDenied[0].key").isEqualTo("anna");
		});
	}

	@Test
	void listedKeysCanBeGivenAsTheyAreListed() {
		run(this.writing, (context, mvc) -> {
			hammer(context.getBean(RateLimiter.class));
			String denied = JsonPath.read(body(mvc.get().uri(LIMITS).exchange()), "$.mostDenied[0].key");
			assertThat(post(mvc, "/tasks?hash=" + denied, "{\"action\":\"block\",\"duration\":\"10m\"}")).hasStatusOk();
			assertThat(mvc.get().uri(LIMITS + "/tasks?key=anna")).bodyJson().hasPath("$.limits[0].blockedFor");
			assertThat(post(mvc, "/tasks?hash=" + denied, "{\"action\":\"unblock\"}")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.effective")
				.isEqualTo(true);
			assertThat(mvc.get().uri(LIMITS + "/tasks?hash=" + denied)).bodyJson()
				.doesNotHavePath("$.limits[0].blockedFor");
			assertThat(mvc.get().uri(LIMITS + "/tasks?hash=0000")).hasStatus(HttpStatus.NOT_FOUND);
		});
	}

	@Test
	void listedKeyOfSeveralPartsIsGivenItselfWhereItsPartsMatter() {
		run(this.writing, (context, mvc) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			limiter.tryAcquire("code", List.of("acme", "anna"), 7);
			assertThat(post(mvc, "/code?key=acme&key=anna", "{\"limit\":7}")).hasStatusOk();
			String hash = JsonPath
				.<Map<String, String>>read(body(mvc.get().uri(LIMITS).exchange()), "$.limits[1].changes")
				.keySet()
				.iterator()
				.next();
			String listed = "/code?hash=" + hash;
			for (MvcTestResult result : List.of(post(mvc, listed, "{\"action\":\"reset\"}"),
					post(mvc, listed, "{\"action\":\"refund\"}"), mvc.get().uri(LIMITS + listed).exchange(),
					mvc.get().uri(LIMITS + listed + "&key=acme&key=anna").exchange())) {
				assertThat(result).hasStatus(HttpStatus.BAD_REQUEST)
					.bodyJson()
					.extractingPath("$.parameter")
					.isEqualTo("hash");
			}
			// Known by its parts as soon as it is denied
			assertThat(limiter.tryAcquire("code", List.of("acme", "anna")).isAllowed()).isFalse();
			assertThat(post(mvc, listed, "{\"action\":\"reset\"}")).hasStatusOk();
			assertThat(limiter.tryAcquire("code", List.of("acme", "anna")).isAllowed()).isTrue();
			// No longer by the hash alone, when another key with the same text is denied
			limiter.tryAcquire("code", "acme:anna", 7);
			assertThat(limiter.tryAcquire("code", "acme:anna").isAllowed()).isFalse();
			assertThat(post(mvc, listed, "{\"action\":\"reset\"}")).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(mvc.delete().uri(LIMITS + listed)).hasStatusOk()
				.bodyJson()
				.extractingPath("$.effective")
				.isEqualTo(true);
		});
	}

	@Test
	void looksAtKeyWithoutTaking() {
		run(this.reading, (context, mvc) -> {
			long started = System.nanoTime();
			context.getBean(Desk.class).submit("anna");
			for (int i = 0; i < 3; i++) {
				MvcTestResult result = mvc.get().uri(LIMITS + "/tasks?key=anna").exchange();
				assertThat(result).hasStatusOk().bodyJson().extractingPath("$.limits[0].remaining").isEqualTo(1);
				Duration restored = Duration.parse(JsonPath.read(body(result), "$.limits[0].restoredAfter"));
				assertThat(restored).isBetween(Duration.ofSeconds(59).minusNanos(System.nanoTime() - started),
						Duration.ofSeconds(60));
				assertThat(result).bodyJson().doesNotHavePath("$.limits[0].blockedFor");
				assertThat(body(result)).doesNotContain("anna");
			}
			assertThat(mvc.get().uri(LIMITS + "/tasks?key=vip")).bodyJson()
				.extractingPath("$.limits[0].settings.limit")
				.asMap()
				.containsEntry("value", 50)
				.containsEntry("origin", "PROPERTIES_FOR_KEY");
			assertThat(mvc.get().uri(LIMITS + "/search?key=anna")).bodyJson()
				.extractingPath("$.limits[*].name")
				.asArray()
				.containsExactly("search-1s", "search-1h");
			assertThat(mvc.get().uri(LIMITS + "/search-1h?key=anna")).bodyJson()
				.extractingPath("$.limits[*].name")
				.asArray()
				.containsExactly("search-1h");
			assertThat(mvc.get().uri(LIMITS + "/api/**?key=acme&key=anna")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.limits[0].name")
				.isEqualTo("/api/**");
		});
	}

	@Test
	@Wide
	void looksAtKeyOfSeveralParts() {
		run(this.reading, (context, mvc) -> {
			context.getBean(RateLimiter.class).tryAcquire("code", List.of("acme", "anna"));
			assertThat(mvc.get().uri(LIMITS + "/code?key=acme&key=anna")).bodyJson()
				.extractingPath("$.limits[0].remaining")
				.isEqualTo(6);
			assertThat(mvc.get().uri(LIMITS + "/code?key=acme:anna")).bodyJson()
				.extractingPath("$.limits[0].remaining")
				.isEqualTo(7);
		});
	}

	@Test
	void changesLimitAndTakesItBack() {
		run(this.writing, (context, mvc) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			hammer(limiter);
			assertThat(post(mvc, "/tasks", "{\"limit\":3}")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.detail")
				.isEqualTo("limit=3");
			assertThat(limiter.tryAcquire("tasks", "anna").isAllowed()).isTrue();
			assertThat(limiter.tryAcquire("tasks", "anna").isAllowed()).isFalse();
			assertThat(post(mvc, "/tasks?key=anna", "{\"limit\":4}")).hasStatusOk();
			assertThat(limiter.tryAcquire("tasks", "anna").isAllowed()).isTrue();
			assertThat(mvc.delete().uri(LIMITS + "/tasks?key=anna")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.effective")
				.isEqualTo(true);
			assertThat(mvc.delete().uri(LIMITS + "/tasks")).hasStatusOk();
			assertThat(mvc.delete().uri(LIMITS + "/tasks")).bodyJson().extractingPath("$.effective").isEqualTo(false);
			assertThat(limiter.tryAcquire("tasks", "boris", 0).quotas().get(0).limit().limit()).isEqualTo(2);
		});
	}

	@Test
	void actsOnKeys() {
		run(this.writing, (context, mvc) -> {
			RateLimiter limiter = context.getBean(RateLimiter.class);
			hammer(limiter);
			assertThat(post(mvc, "/tasks", "{\"key\":\"anna\",\"action\":\"refund\",\"permits\":3}")).bodyJson()
				.extractingPath("$.detail")
				.isEqualTo("permits=2");
			assertThat(limiter.tryAcquire("tasks", "anna").isAllowed()).isTrue();
			assertThat(post(mvc, "/tasks", "{\"key\":\"anna\",\"action\":\"reset\"}")).hasStatusOk();
			assertThat(limiter.tryAcquire("tasks", "anna").quotas().get(0).remaining()).isEqualTo(1);
			assertThat(post(mvc, "/tasks", "{\"key\":\"anna\",\"action\":\"block\",\"duration\":\"10m\"}"))
				.hasStatusOk();
			assertThat(limiter.tryAcquire("tasks", "anna").isAllowed()).isFalse();
			assertThat(mvc.get().uri(LIMITS + "/tasks?key=anna")).bodyJson()
				.extractingPath("$.limits[0].blockedFor")
				.asString()
				.startsWith("PT9M5");
			assertThat(post(mvc, "/tasks", "{\"key\":\"anna\",\"action\":\"unblock\"}")).bodyJson()
				.extractingPath("$.effective")
				.isEqualTo(true);
			assertThat(limiter.tryAcquire("tasks", "anna").isAllowed()).isTrue();
		});
	}

	@Test
	@Wide
	void refusesBadInputAndSaysWhatToWrite() {
		String requests = """
				/tasks  | {"limit":-1}                                         | limit    | above zero
				/tasks  | {"limit":0}                                          | limit    | above zero
				/tasks  | {"limit":"many"}                                     | limit    | a number such as 100
				/tasks  | {"limit":1.5}                                        | limit    | a number such as 100
				/tasks  | {"limit":20000}                                      | limit    | SLIDING_WINDOW_COUNTER
				/tasks  | {"window":"0s"}                                      | window   | 10s or 1h
				/tasks  | {"window":"soon"}                                    | window   | PT1H
				/tasks  | {"window":60}                                        | window   | 60s
				/tasks  | {"burst":5}                                          | burst    | TOKEN_BUCKET
				/tasks  | {}                                                   | limit    | Set limit, window or burst
				/tasks  | {"limitt":5}                                         | limitt   | limit
				/tasks  | {"limit":5,"key":" "}                                | key      | Leave it out
				/tasks  | {"action":"reset"}                                   | key      | ?key=anna
				/tasks  | {"key":"anna","action":"explode"}                    | action   | reset, refund, block or unblock
				/tasks  | {"key":"anna","action":"block"}                      | duration | 10m
				/tasks  | {"key":"anna","action":"block","duration":"-1s"}     | duration | 10m
				/tasks  | {"key":"anna","action":"refund","permits":0}         | permits  | such as 1
				/tasks  | {"key":"anna","action":"reset","permits":1}          | permits  | action
				/search | {"limit":5}                                          | limit    | search-1s or search-1h
				""";
		run(this.writing, (context, mvc) -> requests.lines().forEach((request) -> {
			String[] fields = request.split("\\s*\\|\\s*");
			MvcTestResult result = post(mvc, fields[0], fields[1]);
			assertThat(result).as(request)
				.hasStatus(HttpStatus.BAD_REQUEST)
				.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
				.bodyJson()
				.extractingPath("$.parameter")
				.isEqualTo(fields[2]);
			assertThat(result).as(request)
				.bodyJson()
				.extractingPath("$.detail")
				.asString()
				.contains(fields[2], fields[3]);
			assertThat(keys()).as(request).isEmpty();
		}));
	}

	@Test
	@Wide
	void parametersDoNotReplaceThePath() {
		run(this.writing, (context, mvc) -> {
			for (MvcTestResult result : List.of(post(mvc, "/tasks", "{\"limit\":3,\"path\":\"ratelimit/code\"}"),
					post(mvc, "/tasks?path=ratelimit&path=code", "{\"limit\":3}"),
					mvc.get().uri(LIMITS + "/tasks?key=anna&path=lock").exchange(),
					mvc.delete().uri(LIMITS + "/tasks?path=ratelimit&path=code").exchange())) {
				assertThat(result).hasStatus(HttpStatus.BAD_REQUEST)
					.bodyJson()
					.extractingPath("$.parameter")
					.isEqualTo("path");
			}
			for (MvcTestResult result : List.of(post(mvc, "/tasks", "{\"limit\":3,\"resource\":\"lock\"}"),
					mvc.get().uri(LIMITS + "/tasks?key=anna&resource=lock").exchange())) {
				assertThat(result).hasStatus(HttpStatus.BAD_REQUEST)
					.bodyJson()
					.extractingPath("$.parameter")
					.isEqualTo("resource");
			}
			assertThat(keys()).isEmpty();
		});
	}

	@Test
	@Wide
	void saysWhichLimitsThereAre() {
		run(this.writing, (context, mvc) -> {
			for (MvcTestResult result : List.of(mvc.get().uri(LIMITS + "/nothing?key=anna").exchange(),
					post(mvc, "/nothing", "{\"limit\":1,\"key\":\"anna\"}"),
					mvc.delete().uri(LIMITS + "/nothing").exchange())) {
				assertThat(result).hasStatus(HttpStatus.NOT_FOUND)
					.bodyJson()
					.extractingPath("$.detail")
					.asString()
					.contains("'nothing'", "search-1s", "tasks");
			}
			assertThat(mvc.get().uri(ROOT + "/nothing")).hasStatus(HttpStatus.NOT_FOUND)
				.bodyJson()
				.extractingPath("$.detail")
				.asString()
				.contains("rate-limit");
			assertThat(mvc.get().uri(LIMITS + "/tasks?user=anna")).hasStatus(HttpStatus.BAD_REQUEST);
			assertThat(mvc.get().uri(LIMITS + "/tasks")).hasStatus(HttpStatus.BAD_REQUEST);
		});
	}

	@Test
	void actsOnlyWithWriteAccess() {
		run(this.reading, (context, mvc) -> {
			assertThat(post(mvc, "/tasks", "{\"limit\":200}")).hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
			assertThat(mvc.delete().uri(LIMITS + "/tasks")).hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
			assertThat(mvc.get().uri(LIMITS + "/tasks?key=anna")).bodyJson()
				.extractingPath("$.limits[0].settings.limit.value")
				.isEqualTo(2);
		});
	}

	@Test
	void saysSoWhileRedisIsAway() {
		try (StandaloneRedis redis = RedisServers.standalone()) {
			redis.primary().kill();
			run(this.writing.withPropertyValues(redis.properties()), (context, mvc) -> {
				assertThat(mvc.get().uri(LIMITS)).hasStatusOk();
				assertThat(mvc.get().uri(LIMITS + "/tasks?key=anna")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
				assertThat(post(mvc, "/tasks", "{\"limit\":200}")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
					.bodyJson()
					.extractingPath("$.detail")
					.asString()
					.contains("Redis did not answer");
			});
		}
	}

	private static void run(WebApplicationContextRunner runner, BiConsumer<WebApplicationContext, MockMvcTester> test) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context, MockMvcTester.from(context));
		});
	}

	private static MvcTestResult post(MockMvcTester mvc, String path, String body) {
		return mvc.post().uri(LIMITS + path).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
	}

	private static List<?> keys() {
		return (List<?>) SharedRedis.standalone().primary().command("KEYS", PREFIX + ":*");
	}

	private static String body(MvcTestResult result) {
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

	private static void hammer(RateLimiter limiter) {
		for (int i = 0; i < 5; i++) {
			limiter.tryAcquire("tasks", "anna");
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Desk desk() {
			return new Desk();
		}

	}

	static class Desk {

		@RateLimited(name = "tasks", key = "#agent", limit = 2, window = "1m")
		public String submit(String agent) {
			return "done";
		}

	}

}
