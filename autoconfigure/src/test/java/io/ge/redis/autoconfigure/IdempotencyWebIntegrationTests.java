// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.time.LocalDate;
import java.util.Map;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.ge.redis.idempotency.EffectAlreadyCommittedException;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.IdempotencyScope;
import io.ge.redis.test.OneMethod;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Sized;
import io.ge.redis.test.Wide;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.format.annotation.DateTimeFormat;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.util.AopTestUtils;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.request;

/**
 * Idempotency keys over HTTP.
 */
class IdempotencyWebIntegrationTests {

	private static final String KEY = "Idempotency-Key";

	private static final String REPLAYED = "Idempotent-Replayed";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class,
				JacksonAutoConfiguration.class, HttpMessageConvertersAutoConfiguration.class,
				DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class, GeRedisAutoConfiguration.class,
				GeRedisWebAutoConfiguration.class, GeRedisPrincipalAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, IdempotencyWebAutoConfiguration.class))
		.withUserConfiguration(CatchAll.class)
		.withPropertyValues(SharedRedis.properties());

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
	}

	@Test
	@Wide
	void repetitionGetsTheFirstResponseAgain() {
		run((http) -> {
			MockHttpServletResponse first = http.send(sell("SOL", "1.50").header(KEY, "k-1"));
			assertThat(first.getStatus()).isEqualTo(201);
			assertThat(first.getHeader(REPLAYED)).isNull();
			assertThat(first.getHeader("Set-Cookie")).isEqualTo("a=b");
			MockHttpServletResponse again = http.send(sell("SOL", "1.50").header(KEY, "k-1"));
			assertThat(again.getStatus()).isEqualTo(201);
			assertThat(again.getContentAsString()).isEqualTo(first.getContentAsString())
				.isEqualTo("{\"id\":1,\"token\":\"SOL\",\"quantity\":1.50}");
			assertThat(again.getHeader("Location")).isEqualTo("/sales/1");
			assertThat(again.getContentType()).isEqualTo(first.getContentType());
			assertThat(again.getHeader(REPLAYED)).isEqualTo("true");
			assertThat(again.getHeaderNames()).doesNotContain("Set-Cookie", "X-Cost");
			assertThat(http.effects()).isEqualTo(1);
		});
	}

	@Test
	void quotedAndBareFormOfAKeyAreOne() {
		run((http) -> {
			http.send(sell("SOL", "1").header(KEY, "\"k \\\"1\\\"\""));
			assertThat(http.send(sell("SOL", "1").header(KEY, " \"k \\\"1\\\"\" ")).getHeader(REPLAYED))
				.isEqualTo("true");
			http.send(sell("SOL", "1").header(KEY, "bare"));
			assertThat(http.send(sell("SOL", "1").header(KEY, "\"bare\"")).getHeader(REPLAYED)).isEqualTo("true");
			assertThat(http.effects()).isEqualTo(2);
		});
	}

	@Test
	void malformedKeyIsABadRequest() {
		run((http) -> {
			for (String key : List.of("", " ", "\"\"", "a b", "\"open", "\"a\"b\"", "\"a\\n\"", "gr\u00fcn", "a\tb")) {
				assertProblem(http.send(sell("SOL", "1").header(KEY, key)), 400, "idempotency-key-required");
			}
			assertThat(http.effects()).isZero();
		});
	}

	@Test
	@Wide
	void missingRepeatedAndTooLongKeysAreBadRequests() {
		run((http) -> {
			assertProblem(http.send(sell("SOL", "1")), 400, "idempotency-key-required");
			assertProblem(http.send(sell("SOL", "1").header(KEY, "a", "b")), 400, "idempotency-key-required");
			assertProblem(http.send(sell("SOL", "1").header(KEY, "a".repeat(256))), 400, "idempotency-key-required");
			assertThat(http.send(sell("SOL", "1").header(KEY, "a".repeat(255))).getStatus()).isEqualTo(201);
		});
	}

	@Test
	@Wide
	void anotherRequestWithTheSameKeyIsUnprocessable() {
		run((http) -> {
			http.send(sell("SOL", "1").header(KEY, "k"));
			assertProblem(http.send(sell("SOL", "2").header(KEY, "k")), 422, "idempotency-key-reused");
			assertProblem(http.send(sell("USDC", "1").header(KEY, "k")), 422, "idempotency-key-reused");
			assertProblem(http.send(sell("SOL", "1").param("note", "new").header(KEY, "k")), 422,
					"idempotency-key-reused");
			assertProblem(http.send(post("/tokens/SOL/sales").header(KEY, "k")
				.contentType(MediaType.APPLICATION_JSON)
				.content("{\"quantity\":\"1\",\"pin\":\"9999\"}")), 422, "idempotency-key-reused");
			assertThat(http.send(sell("SOL", "1").header("X-Trace", "other").header(KEY, "k")).getStatus())
				.isEqualTo(201);
			assertThat(http.effects()).isEqualTo(1);
		});
	}

	@Test
	@Wide
	void parametersWithFormatsAndDocumentationBelongToTheContent() {
		run((http) -> {
			assertThat(http.send(post("/dated").param("day", "2026-01-01").header(KEY, "k")).getStatus())
				.isEqualTo(200);
			assertProblem(http.send(post("/dated").param("day", "2026-01-02").header(KEY, "k")), 422,
					"idempotency-key-reused");
			assertThat(http.effects()).isEqualTo(1);
		});
	}

	@Test
	@Wide
	void keysOfDifferentUsersAreApart() {
		run((http) -> {
			http.send(sell("SOL", "1").header(KEY, "k").principal(() -> "anna"));
			MockHttpServletResponse other = http.send(sell("SOL", "7").header(KEY, "k").principal(() -> "boris"));
			assertThat(other.getStatus()).isEqualTo(201);
			assertThat(other.getHeader(REPLAYED)).isNull();
			assertThat(http.send(sell("SOL", "9").header(KEY, "k")).getStatus()).isEqualTo(201);
			assertProblem(http.send(sell("SOL", "9").header(KEY, "k").principal(() -> " ")), 403, "caller-unnamed");
			assertThat(http.effects()).isEqualTo(3);
			http.send(post("/global").header(KEY, "k").principal(() -> "anna"));
			assertThat(http.send(post("/global").header(KEY, "k").principal(() -> "boris")).getHeader(REPLAYED))
				.isEqualTo("true");
		});
	}

	@Test
	@Wide
	void repetitionOfARequestInFlightIsAConflict() {
		run((http) -> {
			CompletableFuture<MockHttpServletResponse> first = CompletableFuture
				.supplyAsync(() -> http.send(post("/slow").header(KEY, "k")), (task) -> new Thread(task).start());
			assertThat(http.desk().entered.await(10, TimeUnit.SECONDS)).isTrue();
			MockHttpServletResponse second = http.send(post("/slow").header(KEY, "k"));
			assertProblem(second, 409, "request-in-flight");
			assertThat(second.getHeader("Retry-After")).isEqualTo("1");
			http.desk().leave.countDown();
			assertThat(first.get(10, TimeUnit.SECONDS).getContentAsString()).isEqualTo("done");
			assertThat(http.send(post("/slow").header(KEY, "k")).getContentAsString()).isEqualTo("done");
		});
	}

	@Test
	@Wide
	void unknownOutcomeIsAConflictOfItsOwn() {
		run((http) -> {
			assertThat(http.send(post("/fails").header(KEY, "k")).getStatus()).isEqualTo(500);
			assertProblem(http.send(post("/fails").header(KEY, "k")), 409, "outcome-unknown");
		});
	}

	@Test
	void transactionThatWouldBeASecondEffectIsAConflictOfItsOwn() {
		run((http) -> {
			MockHttpServletResponse response = http.send(post("/second").header(KEY, "k"));
			assertProblem(response, 409, "effect-already-committed");
			assertThat(response.getHeader("Retry-After")).isEqualTo("1");
		});
	}

	@Test
	void answersThatWouldBeTheSameAreKept() {
		run((http) -> {
			int effects = 0;
			for (int status : List.of(200, 202, 204, 303, 400, 404, 410, 422)) {
				http.send(answer(status));
				MockHttpServletResponse again = http.send(answer(status));
				assertThat(again.getStatus()).isEqualTo(status);
				assertThat(again.getHeader(REPLAYED)).isEqualTo("true");
				effects++;
				assertThat(http.effects()).as("after %d", status).isEqualTo(effects);
			}
		});
	}

	@Test
	void answersThatAskForAnotherAttemptFreeTheKey() {
		run((http) -> {
			int effects = 0;
			for (int status : List.of(401, 403, 408, 409, 425, 429, 503)) {
				http.send(answer(status));
				assertThat(http.send(answer(status)).getStatus()).isEqualTo(status);
				effects += 2;
				assertThat(http.effects()).as("after %d", status).isEqualTo(effects);
			}
		});
	}

	@Test
	@Wide
	void otherErrorsOfTheServerAreFailures() {
		run((http) -> {
			assertThat(http.send(answer(500)).getStatus()).isEqualTo(500);
			assertProblem(http.send(answer(500)), 409, "outcome-unknown");
		});
	}

	@Test
	@Wide
	void bodiesOfEveryKindAreReplayed() {
		run((http) -> {
			for (String path : new String[] { "/value", "/bytes", "/text", "/wildcard", "/nothing", "/unreadable",
					"/written", "/entity" }) {
				MockHttpServletResponse first = http.send(post(path).header(KEY, "k"));
				MockHttpServletResponse again = http.send(post(path).header(KEY, "k"));
				assertThat(first.getStatus()).as(path).isLessThan(300);
				assertThat(again.getHeader(REPLAYED)).as(path).isEqualTo("true");
				assertThat(again.getStatus()).as(path).isEqualTo(first.getStatus());
				assertThat(again.getContentType()).as(path).isEqualTo(first.getContentType());
				assertThat(again.getContentAsByteArray()).as(path).isEqualTo(first.getContentAsByteArray());
			}
		});
	}

	@Test
	@Wide
	void responseThatIsTooLargeIsNotReplayed() {
		run((http) -> {
			assertThat(http.send(post("/large").header(KEY, "k")).getContentAsString()).hasSize(256 * 1024 + 1);
			assertProblem(http.send(post("/large").header(KEY, "k")), 409, "response-lost");
		});
	}

	@Test
	void valueIsKeptWhereTheResponseIsNotSeen() {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			Http http = new Http(context, MockMvcBuilders.webAppContextSetup(context).build());
			for (String path : new String[] { "/value", "/bytes", "/text", "/wildcard", "/nothing" }) {
				MockHttpServletResponse first = http.send(post(path).header(KEY, "k"));
				MockHttpServletResponse again = http.send(post(path).header(KEY, "k"));
				assertThat(again.getHeader(REPLAYED)).as(path).isEqualTo("true");
				assertThat(again.getStatus()).as(path).isEqualTo(first.getStatus());
				assertThat(again.getContentAsByteArray()).as(path).isEqualTo(first.getContentAsByteArray());
			}
			for (String path : new String[] { "/large", "/unreadable", "/written", "/entity" }) {
				assertThat(http.send(post(path).header(KEY, "k")).getStatus()).isLessThan(300);
				assertProblem(http.send(post(path).header(KEY, "k")), 409, "response-lost");
			}
			http.send(sell("SOL", "1").header(KEY, "k"));
			assertThat(http.send(sell("SOL", "1").header(KEY, "k")).getHeader(REPLAYED)).isEqualTo("true");
			assertProblem(http.send(sell("SOL", "2").header(KEY, "k")), 422, "idempotency-key-reused");
			assertProblem(http.send(post("/value").param("unbound", "1").header(KEY, "k")), 422,
					"idempotency-key-reused");
			assertProblem(http.send(post("/value;unbound=1").header(KEY, "k")), 422, "idempotency-key-reused");
		});
	}

	@Test
	void headersOfTheApplicationAreReplayedWhereConfigured() {
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.header=X-Request-Id",
					"ge.redis.idempotency.replayed-headers=x-cost")
			.run((context) -> {
				Http http = new Http(context);
				http.send(sell("SOL", "1").header("X-Request-Id", "k"));
				MockHttpServletResponse again = http.send(sell("SOL", "1").header("X-Request-Id", "k"));
				assertThat(again.getHeader("X-Cost")).isEqualTo("3");
			});
		this.runner.withUserConfiguration(Desk.class)
			.withPropertyValues("ge.redis.idempotency.replayed-headers=Set-Cookie")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("ge.redis.idempotency.replayed-headers")
				.hasMessageContaining("Set-Cookie"));
	}

	@Test
	void keyMayBeOptional() {
		run((http) -> {
			http.send(post("/optional"));
			http.send(post("/optional"));
			assertThat(http.effects()).isEqualTo(2);
			http.send(post("/optional").header(KEY, "k"));
			assertThat(http.send(post("/optional").header(KEY, "k")).getHeader(REPLAYED)).isEqualTo("true");
			assertProblem(http.send(post("/optional").header(KEY, "a b")), 400, "idempotency-key-required");
			assertThat(http.effects()).isEqualTo(3);
		});
	}

	@ParameterizedTest
	@MethodSource("unkept")
	@Sized
	void handlerWhoseResponseCannotBeKeptFailsTheStart(String method) {
		Class<?> controller = OneMethod.of(Unkept.class, method);
		this.runner.withClassLoader(controller.getClassLoader())
			.withUserConfiguration(controller)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("@Idempotent on " + controller.getName() + "." + method));
	}

	static Stream<String> unkept() {
		Stream<String> methods = Stream.of("emits", "streams", "defers", "defersBody", "readsStream", "emitsLater",
				"streamsLater", "publishesTexts", "publishesEvents", "publishesStream");
		return Wide.RUN ? methods : methods.limit(1);
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsMono.class })
	@Wide
	void handlerThatAnswersLaterHasNoWitness(Class<?> controller) {
		this.runner.withUserConfiguration(controller)
			.withPropertyValues("ge.redis.idempotency.witness=required")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("@Idempotent on " + controller.getName() + ".handle")
				.hasMessageContaining("has no transactional record"));
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsMono.class })
	@Wide
	void handlerThatAnswersLaterIsKeptWithTheFilterOrWithout(Class<?> controller) {
		this.runner.withUserConfiguration(controller).run((context) -> {
			for (MockMvc mvc : List.of(
					MockMvcBuilders.webAppContextSetup(context).addFilters(Http.filter(context)).build(),
					MockMvcBuilders.webAppContextSetup(context).build())) {
				SharedRedis.standalone().flushAll();
				MockHttpServletResponse first = sendLater(mvc, post("/").content("done").header(KEY, "k"));
				assertThat(first.getContentAsString()).isEqualTo("done");
				assertThat(first.getHeader(REPLAYED)).isNull();
				MockHttpServletResponse again = sendLater(mvc, post("/").content("done").header(KEY, "k"));
				assertThat(again.getHeader(REPLAYED)).isEqualTo("true");
				assertThat(again.getContentAsString()).isEqualTo("done");
				assertThat(again.getContentType()).isEqualTo(first.getContentType());
			}
		});
	}

	private static MockHttpServletResponse sendLater(MockMvc mvc, MockHttpServletRequestBuilder request)
			throws Exception {
		return mvc.perform(asyncDispatch(mvc.perform(request).andExpect(request().asyncStarted()).andReturn()))
			.andReturn()
			.getResponse();
	}

	private void run(Check test) {
		this.runner.withUserConfiguration(Desk.class).run((context) -> {
			assertThat(context).hasNotFailed();
			test.run(new Http(context));
			assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
		});
	}

	private static MockHttpServletRequestBuilder sell(String token, String quantity) {
		return post("/tokens/" + token + "/sales").contentType(MediaType.APPLICATION_JSON)
			.content("{\"quantity\":\"" + quantity + "\",\"pin\":\"1234\"}");
	}

	private static MockHttpServletRequestBuilder answer(int status) {
		return post("/answers/" + status).header(KEY, "k-" + status);
	}

	private static void assertProblem(MockHttpServletResponse response, int status, String type) throws Exception {
		assertThat(response.getStatus()).isEqualTo(status);
		assertThat(response.getContentType()).startsWith("application/problem+json");
		assertThat(response.getContentAsString()).contains("\"urn:ge-redis:problem:" + type + "\"");
	}

	@FunctionalInterface
	interface Check {

		void run(Http http) throws Exception;

	}

	private static final class Http {

		private final MockMvc mvc;

		private final Desk desk;

		Http(WebApplicationContext context) {
			this(context, MockMvcBuilders.webAppContextSetup(context).addFilters(filter(context)).build());
		}

		Http(WebApplicationContext context, MockMvc mvc) {
			this.mvc = mvc;
			this.desk = AopTestUtils.getUltimateTargetObject(context.getBean(Desk.class));
		}

		private static Filter filter(WebApplicationContext context) {
			return context.getBean("geRedisIdempotencyFilter", FilterRegistrationBean.class).getFilter();
		}

		MockHttpServletResponse send(MockHttpServletRequestBuilder request) {
			try {
				return this.mvc.perform(request).andReturn().getResponse();
			}
			catch (Exception ex) {
				throw new AssertionError(ex);
			}
		}

		int effects() {
			return this.desk.effects.get();
		}

		Desk desk() {
			return this.desk;
		}

	}

	record Order(BigDecimal quantity, @com.fasterxml.jackson.annotation.JsonProperty(
			access = com.fasterxml.jackson.annotation.JsonProperty.Access.WRITE_ONLY) String pin) {
	}

	record Sale(int id, String token, BigDecimal quantity) {
	}

	static class WriteOnly {

		private final String text;

		WriteOnly(String first, String second) {
			this.text = first + second;
		}

		public String getText() {
			return this.text;
		}

	}

	@RestController
	static class Desk {

		final AtomicInteger effects = new AtomicInteger();

		final CountDownLatch entered = new CountDownLatch(1);

		final CountDownLatch leave = new CountDownLatch(1);

		@PostMapping("/tokens/{token}/sales")
		@Idempotent
		public ResponseEntity<Sale> sell(@PathVariable String token, @RequestBody Order order,
				@RequestParam(required = false) @Nullable String note,
				@RequestHeader(name = "X-Trace", required = false) @Nullable String trace) {
			int id = this.effects.incrementAndGet();
			return ResponseEntity.created(URI.create("/sales/" + id))
				.header("Set-Cookie", "a=b")
				.header("X-Cost", "3")
				.body(new Sale(id, token, order.quantity()));
		}

		@PostMapping("/global")
		@Idempotent(scope = IdempotencyScope.GLOBAL)
		public String global() {
			return "done";
		}

		@PostMapping("/slow")
		@Idempotent
		public String slow() throws InterruptedException {
			this.entered.countDown();
			this.leave.await(10, TimeUnit.SECONDS);
			return "done";
		}

		@PostMapping("/second")
		@Idempotent
		public String second() {
			throw new EffectAlreadyCommittedException("second", new IllegalStateException("duplicate key"));
		}

		@PostMapping("/fails")
		@Idempotent
		public String fails() {
			throw new IllegalStateException("failed");
		}

		@PostMapping("/answers/{status}")
		@Idempotent
		public ResponseEntity<Map<String, Object>> answer(@PathVariable int status) {
			this.effects.incrementAndGet();
			return (status == 204) ? ResponseEntity.noContent().build()
					: ResponseEntity.status(status).body(Map.of("status", status));
		}

		@PostMapping("/value")
		@ResponseStatus(HttpStatus.CREATED)
		@Idempotent
		public Sale value() {
			return new Sale(this.effects.incrementAndGet(), "SOL", new BigDecimal("1.10"));
		}

		@PostMapping("/bytes")
		@Idempotent
		public ResponseEntity<byte[]> bytes() {
			return ResponseEntity.ok()
				.contentType(MediaType.APPLICATION_OCTET_STREAM)
				.body(new byte[] { 0, (byte) 0xff, (byte) this.effects.incrementAndGet() });
		}

		@PostMapping("/text")
		@Idempotent
		public ResponseEntity<String> text() {
			return ResponseEntity.ok("text \u00e4 " + this.effects.incrementAndGet());
		}

		@PostMapping("/wildcard")
		@Idempotent
		public ResponseEntity<?> wildcard() {
			return ResponseEntity.ok(new Sale(this.effects.incrementAndGet(), "SOL", new BigDecimal("1.10")));
		}

		@PostMapping("/nothing")
		@ResponseStatus(HttpStatus.ACCEPTED)
		@Idempotent
		public void nothing() {
			this.effects.incrementAndGet();
		}

		@PostMapping("/dated")
		@Idempotent
		public String dated(@DateTimeFormat(iso = DateTimeFormat.ISO.DATE) LocalDate day) {
			return day + " " + this.effects.incrementAndGet();
		}

		@PostMapping("/large")
		@Idempotent
		public String large() {
			return "x".repeat(256 * 1024 + 1);
		}

		@PostMapping("/unreadable")
		@Idempotent
		public WriteOnly unreadable() {
			return new WriteOnly("te", "xt");
		}

		@PostMapping("/written")
		@Idempotent
		public void written(HttpServletResponse response) throws IOException {
			response.setStatus(201);
			response.getWriter().print("written " + this.effects.incrementAndGet());
		}

		@PostMapping("/entity")
		@Idempotent
		public HttpEntity<String> entity() {
			return new HttpEntity<>("entity " + this.effects.incrementAndGet(), new HttpHeaders());
		}

		@PostMapping("/optional")
		@Idempotent(required = false)
		public String optional() {
			return "done " + this.effects.incrementAndGet();
		}

	}

	@RestControllerAdvice
	static class CatchAll {

		@ExceptionHandler(Exception.class)
		ResponseEntity<String> onException(Exception exception) {
			return ResponseEntity.internalServerError().body("caught");
		}

	}

	@RestController
	static class ReturnsFuture {

		@PostMapping("/")
		@Idempotent
		public CompletableFuture<String> handle(@RequestBody String body) {
			return CompletableFuture.completedFuture(body);
		}

	}

	@RestController
	static class ReturnsMono {

		@PostMapping("/")
		@Idempotent
		public Mono<ResponseEntity<String>> handle() {
			return Mono.just(ResponseEntity.ok("done"));
		}

	}

	@RestController
	interface Unkept {

		@PostMapping("/")
		@Idempotent
		SseEmitter emits();

		@PostMapping("/")
		@Idempotent
		ResponseEntity<StreamingResponseBody> streams();

		@PostMapping("/")
		@Idempotent
		DeferredResult<String> defers();

		@PostMapping("/")
		@Idempotent
		ResponseEntity<CompletableFuture<String>> defersBody();

		@PostMapping("/")
		@Idempotent
		String readsStream(java.io.InputStream body);

		@PostMapping("/")
		@Idempotent
		CompletableFuture<SseEmitter> emitsLater();

		@PostMapping("/")
		@Idempotent
		Mono<ResponseEntity<StreamingResponseBody>> streamsLater();

		@PostMapping("/")
		@Idempotent
		Flux<String> publishesTexts();

		@PostMapping("/")
		@Idempotent
		Flux<ServerSentEvent<Sale>> publishesEvents();

		@PostMapping(path = "/", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		@Idempotent
		Flux<Sale> publishesStream();

	}

}
