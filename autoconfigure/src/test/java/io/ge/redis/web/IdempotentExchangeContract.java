// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.math.BigDecimal;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.ge.redis.test.RedisEndpoint;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Responses that are kept as they were sent, called over HTTP, whatever the server is.
 * What it answers says a test that extends this.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IdempotentExchangeContract {

	static final String REPLAYED = "Idempotent-Replayed";

	static final String DOCUMENTATION = "https://shop.example.org/idempotency";

	static final HttpClient CLIENT = HttpClient.newHttpClient();

	/** The common pool may have one thread. */
	static final Executor THREAD_EACH = (task) -> new Thread(task).start();

	private ConfigurableApplicationContext application;

	/**
	 * The handlers, and what is around them.
	 */
	abstract Class<?> configuration();

	/**
	 * Properties of every application on such a server.
	 */
	abstract Stream<String> server();

	/**
	 * Starts the application that is called where a test needs none of its own.
	 */
	abstract ConfigurableApplicationContext first();

	/**
	 * Forgets what has happened.
	 */
	abstract void reset();

	/**
	 * How often handlers have had their effect.
	 */
	abstract int effects();

	/**
	 * A slow handler was entered.
	 */
	abstract CountDownLatch entered();

	/**
	 * A slow handler may go on.
	 */
	abstract CountDownLatch leave();

	@BeforeAll
	void startApplication() {
		this.application = first();
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	ConfigurableApplicationContext application() {
		return this.application;
	}

	/**
	 * Another one of the same.
	 */
	ConfigurableApplicationContext another(String... properties) {
		Stream<String> common = Stream.of("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off",
				// Reactor Netty 1.3.6 and 1.3.7 may stop reading a connection that is
				// kept
				// (reactor-netty#4361)
				"server.netty.max-keep-alive-requests=1", "spring.datasource.generate-unique-name=true",
				"ge.redis.outage.command-timeout=5s", "ge.redis.idempotency.documentation=" + DOCUMENTATION,
				"ge.redis.idempotency.max-unread-body-size=1KB");
		return new SpringApplication(configuration())
			.run(Stream.of(Stream.of(SharedRedis.standalone().properties()), common, server(), Stream.of(properties))
				.flatMap((all) -> all)
				.map((property) -> "--" + property)
				.toArray(String[]::new));
	}

	@BeforeEach
	void emptyRedis() {
		SharedRedis.standalone().flushAll();
		reset();
	}

	@ParameterizedTest
	@ValueSource(strings = { "value", "created", "nothing", "accepted", "text", "written", "bytes", "zipped", "file",
			"entity", "object", "unreadable", "exception", "not-found", "listed" })
	void repetitionGetsTheSameStatusHeadersAndBytes(String path) {
		assertRepeated(path);
	}

	void assertRepeated(String path) {
		HttpResponse<byte[]> first = post("/" + path, "k");
		HttpResponse<byte[]> again = post("/" + path, "k");
		assertThat(first.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(again.statusCode()).isEqualTo(first.statusCode());
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(headers(again)).isEqualTo(headers(first));
		assertThat(effects()).isEqualTo(1);
		assertThat(SharedRedis.standalone().keysWithoutTtl()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/gone", "/reason" })
	void errorIsRepeatedAndItsPageRenderedAnew(String path) {
		HttpResponse<byte[]> first = post(path, "k");
		HttpResponse<byte[]> again = post(path, "k");
		assertThat(first.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(first.statusCode()).isEqualTo(path.equals("/gone") ? 410 : 423);
		assertThat(again.statusCode()).isEqualTo(first.statusCode());
		assertThat(text(again).isEmpty()).isEqualTo(text(first).isEmpty());
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void responsesAreWhatTheyWouldBeWithoutKey() {
		assertThat(post("/created", "k-1").headers().map()).containsEntry("Location", List.of("/sales/1"))
			.containsEntry("ETag", List.of("\"1\""))
			.containsEntry("Content-Type", List.of("application/json"));
		assertThat(text(post("/created", "k-1"))).isEqualTo("{\"id\":1,\"amount\":1.50}");
		assertThat(post("/not-found", "k-2").headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(post("/zipped", "k-3").headers().firstValue("Content-Encoding")).contains("gzip");
		assertThat(post("/nothing", "k-4").statusCode()).isEqualTo(204);
	}

	@Test
	void whatCannotHaveBeenKeptIsLeftOutOrLost() {
		post("/created", "k");
		forge(200, "\"Set-Cookie\":[\"a=b\"],\"Content-Length\":[\"99\"],\"ETag\":[\"1\"]");
		HttpResponse<byte[]> forged = post("/created", "k");
		assertThat(forged.statusCode()).isEqualTo(200);
		assertThat(text(forged)).isEqualTo("forged");
		assertThat(forged.headers().firstValue("ETag")).contains("1");
		assertThat(forged.headers().firstValue("Set-Cookie")).isEmpty();
		forge(999, "");
		assertProblem(post("/created", "k"), 409, "response-lost");
		forge(200, "\"ETag\":[\"1\\r\\nSet-Cookie: a=b\"]");
		assertProblem(post("/created", "k"), 409, "response-lost");
		assertThat(effects()).isEqualTo(1);
	}

	private static void forge(int status, String headers) {
		RedisEndpoint redis = SharedRedis.standalone().primary();
		List<?> keys = (List<?>) redis.command("KEYS", "ge:idempotency:*");
		assertThat(keys).hasSize(1);
		redis.command("HSET", String.valueOf(keys.get(0)), "r",
				"{\"status\":" + status + ",\"headers\":{" + headers + "},\"bodiless\":false}\nforged");
	}

	@Test
	void answerThatAsksForAnotherAttemptFreesTheKey() {
		for (int attempt = 1; attempt < 3; attempt++) {
			HttpResponse<byte[]> response = post("/returned-conflict", "k");
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.headers().firstValue(REPLAYED)).isEmpty();
			assertThat(effects()).isEqualTo(attempt);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "unavailable", "envelope", "failure" })
	void failureOfUnknownEffectClosesTheKey(String path) {
		assertThat(post("/" + path, "k").statusCode()).isNotEqualTo(409);
		assertProblem(post("/" + path, "k"), 409, "outcome-unknown");
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void effectStandsAlthoughItsResponseCannotBeMade() {
		post("/unwritable", "k");
		assertProblem(post("/unwritable", "k"), 409, "response-lost");
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void callIsInFlightUntilItHasEnded() throws Exception {
		CompletableFuture<HttpResponse<byte[]>> first = CompletableFuture.supplyAsync(() -> post("/slow", "k"),
				THREAD_EACH);
		assertThat(entered().await(10, TimeUnit.SECONDS)).isTrue();
		HttpResponse<byte[]> second = post("/slow", "k");
		assertProblem(second, 409, "request-in-flight");
		assertThat(second.headers().firstValueAsLong("Retry-After").orElse(0)).isPositive();
		leave().countDown();
		assertThat(first.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(201);
		assertThat(post("/slow", "k").body()).isEqualTo(first.get().body());
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void cookiesAndDatesAreOfOneResponseOnly() throws Exception {
		HttpResponse<byte[]> first = post("/created", "k");
		assertThat(first.headers().map()).containsKeys("Set-Cookie", "X-Cost");
		assertThat(post("/created", "k").headers().map()).doesNotContainKeys("Set-Cookie", "X-Cost");
	}

	@Test
	void firstCallIsTwoCommandsAndEachRepetitionOne() {
		post("/created", "warm");
		post("/created", "warm");
		SharedRedis.standalone().configResetStat();
		post("/created", "k");
		assertThat(SharedRedis.standalone().commandCalls("evalsha")).isEqualTo(2);
		post("/created", "k");
		assertThat(SharedRedis.standalone().commandCalls("evalsha")).isEqualTo(3);
	}

	@Test
	void whoWaitsGetsTheSameBytes() throws Exception {
		CompletableFuture<HttpResponse<byte[]>> first = CompletableFuture.supplyAsync(() -> post("/waits", "k"),
				THREAD_EACH);
		assertThat(entered().await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<HttpResponse<byte[]>> second = CompletableFuture.supplyAsync(() -> post("/waits", "k"),
				THREAD_EACH);
		leave().countDown();
		assertThat(second.get(10, TimeUnit.SECONDS).body()).isEqualTo(first.get(10, TimeUnit.SECONDS).body());
		assertThat(second.get().headers().firstValue("ETag")).contains("\"1\"");
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void responseIsKeptAlthoughTheClientHasGone() throws Exception {
		try (Socket socket = new Socket("localhost", port())) {
			socket.getOutputStream()
				.write("POST /slow-large HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n"
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(entered().await(10, TimeUnit.SECONDS)).isTrue();
			socket.setSoLinger(true, 0);
		}
		leave().countDown();
		await().atMost(Duration.ofSeconds(10)).until(() -> post("/slow-large", "k").statusCode() == 200);
		HttpResponse<byte[]> again = post("/slow-large", "k");
		assertThat(again.body()).hasSize(200_000);
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void responseThatIsTooLargeIsSentAndLost() {
		HttpResponse<byte[]> first = post("/large", "k");
		assertThat(first.statusCode()).isEqualTo(201);
		assertThat(first.body()).hasSize(300_000).containsOnly('x');
		assertProblem(post("/large", "k"), 409, "response-lost");
		assertThat(post("/large-written", "k").body()).hasSize(300_000).containsOnly('x');
		assertProblem(post("/large-written", "k"), 409, "response-lost");
		assertThat(effects()).isEqualTo(2);
	}

	@Test
	@Wide
	void responseThatIsTooLargeMayBeRepeatedWithoutItsBody() {
		try (ConfigurableApplicationContext minimal = another("ge.redis.idempotency.on-oversized-response=minimal",
				"ge.redis.idempotency.max-result-size=10B", "ge.redis.idempotency.witness=off")) {
			HttpResponse<byte[]> first = send(request(minimal, "/created", "k"));
			assertThat(text(first)).isEqualTo("{\"id\":1,\"amount\":1.50}");
			HttpResponse<byte[]> again = send(request(minimal, "/created", "k"));
			assertThat(again.statusCode()).isEqualTo(201);
			assertThat(again.body()).isEmpty();
			assertThat(again.headers().map()).containsEntry("Location", List.of("/sales/1"))
				.containsEntry("Preference-Applied", List.of("return=minimal"))
				.containsEntry(REPLAYED, List.of("true"))
				.doesNotContainKey("Content-Type");
			assertThat(send(request(minimal, "/not-found", "k")).statusCode()).isEqualTo(404);
			assertThat(send(request(minimal, "/not-found", "k")).body()).isEmpty();
		}
	}

	@Test
	void requestsAreComparedByTheBytesOfTheirBody() {
		String body = "{\"id\":1,\"amount\":2}";
		assertThat(post("/orders/1?a=1&b=2", "k", body).statusCode()).isEqualTo(200);
		assertThat(post("/orders/1?b=2&a=1", "k", body).headers().firstValue(REPLAYED)).contains("true");
		for (String other : List.of("{\"id\":1,\"amount\":3}", "{\"id\":1, \"amount\":2}",
				"{\"id\":1,\"amount\":2,\"unknown\":3}", body + "\n")) {
			assertProblem(post("/orders/1?a=1&b=2", "k", other), 422, "idempotency-key-reused");
		}
		assertProblem(post("/orders/2?a=1&b=2", "k", body), 422, "idempotency-key-reused");
		assertProblem(post("/orders/1?a=1", "k", body), 422, "idempotency-key-reused");
		assertProblem(send(request("/orders/1?a=1&b=2", "k").PUT(HttpRequest.BodyPublishers.ofString(body))
			.header("Content-Type", "application/json")), 422, "idempotency-key-reused");
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void bodyThatNobodyHasReadYetIsComparedAndStillThereToBeRead() {
		assertThat(text(post("/reads", "k", "abc"))).isEqualTo("abc 1");
		assertThat(text(post("/reads", "k", "abc"))).isEqualTo("abc 1");
		assertProblem(post("/reads", "k", "abd"), 422, "idempotency-key-reused");
		assertThat(post("/value", "k", "unread").statusCode()).isEqualTo(200);
		assertProblem(post("/value", "k", "other"), 422, "idempotency-key-reused");
		assertThat(text(post("/reads", "k-2", "x".repeat(1024)))).hasSize(1024 + 2);
		assertProblem(post("/reads", "k-3", "x".repeat(1025)), 413, "request-too-large");
		assertThat(post("/orders/1", "k-4", "{\"id\":1,\"unknown\":\"" + "x".repeat(2000) + "\"}").statusCode())
			.isEqualTo(200);
	}

	@Test
	void formsAreComparedByTheirParameters() {
		assertThat(text(form("/form", "k", "a=1&b=2"))).isEqualTo("1 1");
		assertThat(form("/form", "k", "b=2&a=1").headers().firstValue(REPLAYED)).contains("true");
		assertProblem(form("/form", "k", "a=1&b=3"), 422, "idempotency-key-reused");
	}

	@Test
	void uploadsAreComparedPartByPart() {
		assertThat(text(upload("k", "first", "abc"))).isEqualTo("3 1");
		assertThat(text(upload("k", "second", "abc"))).isEqualTo("3 1");
		assertProblem(upload("k", "third", "abd"), 422, "idempotency-key-reused");
	}

	@Test
	void methodThatIsNotTheHandlerKeepsItsValue() {
		assertThat(text(post("/outer", "k"))).isEqualTo("inner 1 and 1");
		assertThat(text(post("/outer", "k-2"))).isEqualTo("inner 1 and 1");
		assertThat(post("/outer", "k-2").headers().firstValue(REPLAYED)).contains("true");
		assertThat(effects()).isEqualTo(2);
	}

	@Test
	void attemptsOfOneRequestAreCallsOfTheirOwn() {
		assertThat(text(post("/retried", "k"))).isEqualTo("attempt 2");
		HttpResponse<byte[]> again = post("/retried", "k");
		assertThat(text(again)).isEqualTo("attempt 2");
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(effects()).isEqualTo(2);
	}

	@Test
	void headersAloneAreRepeatedToo() {
		HttpRequest.Builder head = request("/created", "k").method("HEAD", HttpRequest.BodyPublishers.noBody());
		HttpResponse<byte[]> first = send(head);
		HttpResponse<byte[]> again = send(head);
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(headers(again)).isEqualTo(headers(first));
	}

	@Test
	void refusalsLinkToTheDocumentation() {
		HttpResponse<byte[]> missing = send(
				HttpRequest.newBuilder(uri(application(), "/value")).POST(HttpRequest.BodyPublishers.noBody()));
		assertProblem(missing, 400, "idempotency-key-required");
		assertThat(missing.headers().firstValue("Link"))
			.contains("<" + DOCUMENTATION + ">; rel=\"describedby\"; type=\"text/html\"");
	}

	static Map<String, List<String>> headers(HttpResponse<?> response) {
		Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		headers.putAll(response.headers().map());
		List.of("Date", "Keep-Alive", "Connection", REPLAYED, "Set-Cookie", "X-Cost").forEach(headers::remove);
		return headers;
	}

	static void assertProblem(HttpResponse<byte[]> response, int status, String type) {
		assertThat(text(response)).contains("\"urn:ge-redis:problem:" + type + "\"");
		assertThat(response.statusCode()).isEqualTo(status);
		assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
	}

	static String text(HttpResponse<byte[]> response) {
		return new String(response.body(), StandardCharsets.UTF_8);
	}

	int port() {
		return Integer.parseInt(application().getEnvironment().getRequiredProperty("local.server.port"));
	}

	static URI uri(ConfigurableApplicationContext context, String path) {
		return URI
			.create("http://localhost:" + context.getEnvironment().getRequiredProperty("local.server.port") + path);
	}

	HttpRequest.Builder request(String path, String key) {
		return request(application(), path, key);
	}

	static HttpRequest.Builder request(ConfigurableApplicationContext context, String path, String key) {
		return HttpRequest.newBuilder(uri(context, path))
			.header("Idempotency-Key", key)
			.POST(HttpRequest.BodyPublishers.noBody());
	}

	HttpResponse<byte[]> post(String path, String key) {
		return send(request(path, key));
	}

	HttpResponse<byte[]> post(String path, String key, String body) {
		return send(request(path, key).header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body)));
	}

	HttpResponse<byte[]> form(String path, String key, String body) {
		return send(request(path, key).header("Content-Type", "application/x-www-form-urlencoded")
			.POST(HttpRequest.BodyPublishers.ofString(body)));
	}

	HttpResponse<byte[]> upload(String key, String boundary, String content) {
		String body = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
				+ content + "\r\n--" + boundary + "--\r\n";
		return send(request("/upload", key).header("Content-Type", "multipart/form-data; boundary=" + boundary)
			.POST(HttpRequest.BodyPublishers.ofString(body)));
	}

	static HttpResponse<byte[]> send(HttpRequest.Builder request) {
		try {
			return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
		}
		catch (IOException | InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	/**
	 * Advice around all guards, wherever the annotation stands: on the method itself or
	 * on what it overrides.
	 */
	static Advisor outermost(Class<? extends Annotation> annotation, MethodInterceptor interceptor) {
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
				new AnnotationMatchingPointcut(null, annotation, true), interceptor);
		advisor.setOrder(Ordered.HIGHEST_PRECEDENCE);
		return advisor;
	}

	record Sale(int id, BigDecimal amount) {
	}

	record Order(int id, @Nullable Integer amount) {
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

	static class Unwritable {

		public String getText() {
			throw new IllegalStateException("unwritable");
		}

	}

	static class ConflictException extends RuntimeException {

		ConflictException(String message) {
			super(message);
		}

	}

	static class UnavailableException extends RuntimeException {

	}

	static class EnvelopeException extends RuntimeException {

	}

	@ResponseStatus(HttpStatus.GONE)
	static class GoneException extends RuntimeException {

	}

	/**
	 * Is called once more if it fails.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Retried {

	}

	@RestControllerAdvice
	static class Advice {

		@ExceptionHandler
		ResponseEntity<Map<String, Object>> handle(IllegalArgumentException exception) {
			return ResponseEntity.unprocessableContent()
				.contentType(MediaType.valueOf("application/vnd.shop.error+json"))
				.body(Map.of("error", exception.getMessage(), "at", System.nanoTime()));
		}

		@ExceptionHandler
		ResponseEntity<Map<String, Object>> handle(ConflictException exception) {
			return ResponseEntity.status(409).body(Map.of("error", exception.getMessage()));
		}

		@ExceptionHandler
		ResponseEntity<String> handle(UnavailableException exception) {
			return ResponseEntity.status(503).body("unavailable");
		}

		@ExceptionHandler
		ResponseEntity<String> handle(EnvelopeException exception) {
			return ResponseEntity.ok("{\"code\":500}");
		}

	}

}
