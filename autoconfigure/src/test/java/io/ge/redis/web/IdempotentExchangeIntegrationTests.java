/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.test.SharedRedis;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Controller;
import org.springframework.stereotype.Service;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import org.springframework.web.util.ContentCachingResponseWrapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Responses that are kept as they were sent, called over HTTP.
 */
class IdempotentExchangeIntegrationTests extends IdempotentExchangeContract {

	private static ConfigurableApplicationContext application;

	private static Desk desk;

	@BeforeAll
	static void startApplication() {
		application = start("ge.redis.idempotency.witness=off");
		desk = AopTestUtils.getUltimateTargetObject(application.getBean(Desk.class));
	}

	private static ConfigurableApplicationContext start(String... properties) {
		return new SpringApplication(Configured.class)
			.run(Stream
				.of(Stream.of(properties()),
						Stream.of("--spring.mvc.problemdetails.enabled=true",
								"--logging.level.org.apache.catalina.core.ContainerBase=OFF"),
						Stream.of(properties).map((property) -> "--" + property))
				.flatMap((all) -> all)
				.toArray(String[]::new));
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Override
	ConfigurableApplicationContext application() {
		return application;
	}

	@Override
	ConfigurableApplicationContext another(String... properties) {
		return start(properties);
	}

	@Override
	void reset() {
		desk.reset();
	}

	@Override
	int effects() {
		return desk.effects();
	}

	@Override
	CountDownLatch entered() {
		return desk.entered;
	}

	@Override
	CountDownLatch leave() {
		return desk.leave;
	}

	@ParameterizedTest
	@ValueSource(strings = { "written-text", "view", "redirect", "page", "gone", "rolled-back", "forward",
			"forward-to-guarded" })
	void repetitionGetsTheSameWhateverMadeTheResponse(String path) {
		assertRepeated(path);
	}

	@Test
	void responsesOfServletsAreWhatTheyWouldBeWithoutKey() {
		assertThat(post("/written-text", "k-2").headers().firstValue("Content-Type"))
			.contains("text/plain;charset=ISO-8859-1");
		assertThat(post("/redirect", "k-6").headers().firstValue("Location").orElseThrow()).endsWith("/sales/6");
		assertThat(text(post("/page", "k-7"))).isEqualTo("<p>7</p>");
	}

	@Test
	void responseThatIsForwardedIsThere() {
		assertThat(text(post("/forward", "k-1"))).isEqualTo("plain \u00e4 1");
		assertThat(text(post("/forward-to-guarded", "k-2"))).isEqualTo("{\"id\":2,\"amount\":1.50}");
		assertThat(text(send(HttpRequest.newBuilder(uri(application, "/forward-without-key"))
			.POST(HttpRequest.BodyPublishers.noBody())))).isEqualTo("plain \u00e4 3");
		assertThat(text(post("/forward-itself", "k-4"))).isEqualTo("plain \u00e4 4");
		assertThat(post("/forward-to-nothing", "k-5").statusCode()).isEqualTo(404);
		HttpResponse<byte[]> refused = post("/forward-itself-to-error", "k-6");
		assertThat(refused.statusCode()).isEqualTo(404);
		assertThat(text(refused)).contains("\"status\":404");
	}

	@Test
	void textOfAnotherThreadIsSent() throws Exception {
		HttpResponse<InputStream> response = CLIENT.send(request("/asynchronous-text", "k").build(),
				HttpResponse.BodyHandlers.ofInputStream());
		assertThat(response.body().readNBytes(6)).asString().isEqualTo("early ");
		desk.leave.countDown();
		assertThat(response.body().readAllBytes()).asString().isEqualTo("late");
		assertProblem(post("/asynchronous-text", "k"), 409, "response-lost");
	}

	@Test
	void filterWithoutAnOrderSeesTheResponse() {
		for (int call = 0; call < 2; call++) {
			Watched.seen = "";
			send(request("/created", "k").header("X-Watched", "true"));
			assertThat(Watched.seen).isEqualTo("201 {\"id\":1,\"amount\":1.50}");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "rolled-back-conflict", "rolled-back-unavailable", "rolled-back-envelope",
			"rolled-back-failure" })
	void answerAfterARollbackFreesTheKey(String path) {
		int status = post("/" + path, "k").statusCode();
		HttpResponse<byte[]> again = post("/" + path, "k");
		assertThat(again.statusCode()).isEqualTo(status);
		assertThat(again.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(desk.effects()).isEqualTo(2);
		assertThat(rows()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "committed-failure", "committed-conflict" })
	void failureAfterACommitClosesTheKey(String path) {
		assertThat(post("/" + path, "k").statusCode()).isNotEqualTo(409);
		assertProblem(post("/" + path, "k"), 409, "outcome-unknown");
		assertThat(desk.effects()).isEqualTo(1);
	}

	@Test
	void valueIsRenderedAnewWhereTheResponseCouldNotBeMade() {
		HttpResponse<byte[]> first = send(request("/value", "k").header("Accept", "text/csv"));
		assertThat(first.statusCode()).isEqualTo(406);
		HttpResponse<byte[]> again = send(request("/value", "k").header("Accept", "application/json"));
		assertThat(again.statusCode()).isEqualTo(200);
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(text(again)).isEqualTo("{\"id\":1,\"amount\":1.50}");
		assertThat(desk.effects()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "broken-view", "asynchronous", "forward-itself", "forward-itself-to-error" })
	void effectStandsAlthoughThereIsNoResponse(String path) {
		post("/" + path, "k");
		assertProblem(post("/" + path, "k"), 409, "response-lost");
		assertThat(desk.effects()).isEqualTo(1);
	}

	@Test
	void callIsInFlightUntilItsResponseIsMade() throws Exception {
		CompletableFuture<HttpResponse<byte[]>> first = CompletableFuture.supplyAsync(() -> post("/slow-page", "k"),
				THREAD_EACH);
		assertThat(desk.rendering.await(10, TimeUnit.SECONDS)).isTrue();
		assertProblem(post("/slow-page", "k"), 409, "request-in-flight");
		desk.leave.countDown();
		assertThat(text(first.get(10, TimeUnit.SECONDS))).isEqualTo("<p>1</p>");
		assertThat(text(post("/slow-page", "k"))).isEqualTo("<p>1</p>");
	}

	@Test
	void witnessKeepsTheValueFromWhichTheResponseIsRendered() {
		try (ConfigurableApplicationContext witnessed = start("ge.redis.idempotency.witness=required",
				"spring.sql.init.schema-locations=classpath:db/ge-redis/h2/R__ge_idempotency.sql")) {
			HttpResponse<byte[]> first = send(request(witnessed, "/committed", "k"));
			SharedRedis.standalone().flushAll();
			HttpResponse<byte[]> again = send(request(witnessed, "/committed", "k"));
			assertThat(again.statusCode()).isEqualTo(first.statusCode()).isEqualTo(201);
			assertThat(again.body()).isEqualTo(first.body());
			assertThat(again.headers().firstValue(REPLAYED)).contains("true");
			assertThat(send(request(witnessed, "/committed", "k")).body()).isEqualTo(first.body());
			assertThat(witnessed.getBean(JdbcTemplate.class).queryForObject("select count(*) from sale", Integer.class))
				.isEqualTo(1);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "multipart/related; boundary=b", "multipart/form-data; boundary=b" })
	void whatTheServerDoesNotTakeApartIsComparedAsItCame(String type) {
		try (ConfigurableApplicationContext whole = start("spring.servlet.multipart.enabled=false",
				"ge.redis.idempotency.witness=off")) {
			String body = "--b\r\nContent-Type: text/plain\r\n\r\nabc\r\n--b--\r\n";
			HttpRequest.Builder request = request(whole, "/reads", "k").header("Content-Type", type);
			String first = text(send(request.POST(HttpRequest.BodyPublishers.ofString(body))));
			assertThat(first).startsWith(body);
			assertThat(text(send(request))).isEqualTo(first);
			assertProblem(send(request.POST(HttpRequest.BodyPublishers.ofString(body.replace("abc", "abd")))), 422,
					"idempotency-key-reused");
		}
	}

	@Test
	void whoIsRefusedAfterTheGuardGetsNothingOfTheKeptResponse() {
		HttpResponse<byte[]> first = post("/created", "k");
		HttpResponse<byte[]> refused = send(request("/created", "k").header("X-Refused", "true"));
		assertThat(refused.statusCode()).isEqualTo(403);
		assertThat(text(refused)).doesNotContain("amount");
		assertThat(refused.headers().map()).doesNotContainKeys("Location", "ETag", "Link", REPLAYED);
		assertThat(post("/created", "k").body()).isEqualTo(first.body());
		assertThat(desk.effects()).isEqualTo(1);
	}

	@Test
	void checkOfTheResultSeesWhatIsGivenAgain() {
		HttpResponse<byte[]> first = post("/checked", "k");
		assertThat(text(first)).isEqualTo("{\"id\":1,\"amount\":1.50}");
		HttpResponse<byte[]> again = post("/checked", "k");
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(post("/checked", "k-2").statusCode()).isEqualTo(403);
		assertThat(post("/checked", "k-2").statusCode()).isEqualTo(403);
		assertThat(desk.effects()).isEqualTo(2);
	}

	@Test
	void answerOfAdviceAroundTheGuardIsNotThatOfTheCall() {
		assertThat(text(post("/replaced", "k"))).isEqualTo("replaced");
		assertThat(post("/replaced", "k").headers().firstValue(REPLAYED)).isEmpty();
		assertThat(desk.effects()).isEqualTo(2);
	}

	@Test
	void responseOfAnotherHandlerIsNotHeldBack() throws Exception {
		HttpResponse<InputStream> response = CLIENT.send(request("/streams", "k").build(),
				HttpResponse.BodyHandlers.ofInputStream());
		assertThat(response.body().readNBytes(5)).asString().isEqualTo("first");
		desk.leave.countDown();
		assertThat(response.body().readAllBytes()).asString().isEqualTo("second");
		response = CLIENT.send(request("/streams-late", "k").build(), HttpResponse.BodyHandlers.ofInputStream());
		assertThat(response.body().readAllBytes()).asString().isEqualTo("late");
	}

	private static int rows() {
		Integer rows = application.getBean(JdbcTemplate.class)
			.queryForObject("select count(*) from sale", Integer.class);
		return (rows != null) ? rows : -1;
	}

	record Sale(int id, java.math.BigDecimal amount) {
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

	@Controller
	@ResponseBody
	@RequestMapping(method = { org.springframework.web.bind.annotation.RequestMethod.POST,
			org.springframework.web.bind.annotation.RequestMethod.PUT,
			org.springframework.web.bind.annotation.RequestMethod.HEAD })
	static class Desk {

		private final AtomicInteger effects = new AtomicInteger();

		private final Inner inner;

		private final JdbcTemplate jdbc;

		volatile CountDownLatch entered = new CountDownLatch(1);

		volatile CountDownLatch rendering = new CountDownLatch(1);

		volatile CountDownLatch leave = new CountDownLatch(1);

		Desk(Inner inner, JdbcTemplate jdbc) {
			this.inner = inner;
			this.jdbc = jdbc;
			jdbc.execute("create table if not exists sale (id int)");
		}

		void reset() {
			this.effects.set(0);
			this.inner.reset();
			this.jdbc.execute("truncate table sale");
			this.entered = new CountDownLatch(1);
			this.rendering = new CountDownLatch(1);
			this.leave = new CountDownLatch(1);
		}

		int effects() {
			return this.effects.get();
		}

		private int effect() {
			int number = this.effects.incrementAndGet();
			this.jdbc.update("insert into sale (id) values (?)", number);
			return number;
		}

		private Sale sale() {
			return new Sale(effect(), new java.math.BigDecimal("1.50"));
		}

		@RequestMapping("/value")
		@Idempotent
		public Sale value() {
			return sale();
		}

		@RequestMapping("/created")
		@Idempotent
		public ResponseEntity<Sale> created() {
			Sale sale = sale();
			return ResponseEntity.created(URI.create("/sales/" + sale.id()))
				.eTag("\"" + sale.id() + "\"")
				.header("Link", "</sales>; rel=\"collection\"", "</>; rel=\"up\"")
				.header("Set-Cookie", "a=b")
				.header("X-Cost", "3")
				.body(sale);
		}

		@RequestMapping("/checked")
		@PostAuthorize("returnObject.id == 1")
		@Idempotent
		public Sale checked() {
			return sale();
		}

		@RequestMapping("/committed")
		@Transactional
		@Idempotent
		public ResponseEntity<Sale> committed() {
			return created();
		}

		@RequestMapping("/nothing")
		@Idempotent
		public ResponseEntity<Void> nothing() {
			effect();
			return ResponseEntity.noContent().build();
		}

		@RequestMapping("/accepted")
		@ResponseStatus(HttpStatus.ACCEPTED)
		@Idempotent
		public void accepted() {
			effect();
		}

		@RequestMapping("/text")
		@Idempotent
		public String text() {
			return "text \u00e4 " + effect();
		}

		@RequestMapping("/written")
		@Idempotent
		public void written(HttpServletResponse response) throws IOException {
			response.setStatus(201);
			response.setContentType("application/octet-stream");
			response.getOutputStream().write(new byte[] { 0, (byte) 0xff, (byte) effect() });
			response.flushBuffer();
		}

		@RequestMapping("/written-text")
		@Idempotent
		public void writtenText(HttpServletResponse response) throws IOException {
			response.setContentType("text/plain");
			response.getWriter().print("text \u00e4 " + effect());
		}

		@RequestMapping("/bytes")
		@Idempotent
		public ResponseEntity<byte[]> bytes() {
			return ResponseEntity.ok()
				.contentType(MediaType.IMAGE_PNG)
				.body(new byte[] { 0, (byte) 0xff, (byte) effect() });
		}

		@RequestMapping("/zipped")
		@Idempotent
		public ResponseEntity<byte[]> zipped() throws IOException {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
				zip.write(effect());
			}
			return ResponseEntity.ok().header("Content-Encoding", "gzip").body(bytes.toByteArray());
		}

		@RequestMapping("/file")
		@Idempotent
		public ResponseEntity<Resource> file() {
			return ResponseEntity.ok()
				.header("Content-Disposition", "attachment; filename=\"a.bin\"")
				.contentType(MediaType.APPLICATION_OCTET_STREAM)
				.body(new ByteArrayResource(new byte[] { 1, 2, (byte) effect() }));
		}

		@RequestMapping("/entity")
		@Idempotent
		public HttpEntity<String> entity() {
			return new HttpEntity<>("entity " + effect(), new HttpHeaders());
		}

		@RequestMapping("/object")
		@Idempotent
		public Object object() {
			return Map.of("id", effect());
		}

		@RequestMapping("/unreadable")
		@Idempotent
		public WriteOnly unreadable() {
			return new WriteOnly("te", "xt " + effect());
		}

		@RequestMapping("/exception")
		@Idempotent
		public String exception() {
			effect();
			throw new IllegalArgumentException("no such thing");
		}

		@RequestMapping("/not-found")
		@Idempotent
		public Sale notFound() {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no sale " + effect());
		}

		@RequestMapping("/gone")
		@Idempotent
		public void gone(HttpServletResponse response) throws IOException {
			response.sendError(410, "Gone " + effect());
		}

		@RequestMapping("/reason")
		@ResponseStatus(code = HttpStatus.LOCKED, reason = "Locked")
		@Idempotent
		public void reason() {
			effect();
		}

		@RequestMapping("/rolled-back")
		@Transactional
		@Idempotent
		public String rolledBack() {
			effect();
			throw new IllegalArgumentException("no such thing");
		}

		@RequestMapping("/listed")
		@Idempotent(storeExceptions = ConflictException.class)
		public String listed() {
			throw new ConflictException("not enough left " + effect());
		}

		@RequestMapping("/rolled-back-conflict")
		@Transactional
		@Idempotent
		public String rolledBackConflict() {
			throw new ConflictException("not enough left " + effect());
		}

		@RequestMapping("/rolled-back-unavailable")
		@Transactional
		@Idempotent
		public String rolledBackUnavailable() {
			effect();
			throw new UnavailableException();
		}

		@RequestMapping("/rolled-back-envelope")
		@Transactional
		@Idempotent
		public String rolledBackEnvelope() {
			effect();
			throw new EnvelopeException();
		}

		@RequestMapping("/rolled-back-failure")
		@Transactional
		@Idempotent
		public String rolledBackFailure() {
			effect();
			throw new IllegalStateException("failed");
		}

		@RequestMapping("/returned-conflict")
		@Idempotent
		public ResponseEntity<String> returnedConflict() {
			this.effects.incrementAndGet();
			return ResponseEntity.status(409).body("later");
		}

		@RequestMapping("/unavailable")
		@Idempotent
		public String unavailable() {
			effect();
			throw new UnavailableException();
		}

		@RequestMapping("/envelope")
		@Idempotent
		public String envelope() {
			effect();
			throw new EnvelopeException();
		}

		@RequestMapping("/failure")
		@Idempotent
		public String failure() {
			effect();
			throw new IllegalStateException("failed");
		}

		@RequestMapping("/committed-failure")
		@Transactional(noRollbackFor = IllegalStateException.class)
		@Idempotent
		public String committedFailure() {
			effect();
			throw new IllegalStateException("failed");
		}

		@RequestMapping("/committed-conflict")
		@Transactional
		@Idempotent
		public ResponseEntity<String> committedConflict() {
			effect();
			return ResponseEntity.status(503).body("later");
		}

		@RequestMapping("/unwritable")
		@Idempotent
		public Unwritable unwritable() {
			effect();
			return new Unwritable();
		}

		@RequestMapping("/asynchronous")
		@Idempotent
		public void asynchronous(HttpServletRequest request, HttpServletResponse response) {
			effect();
			AsyncContext asynchronous = request.startAsync();
			asynchronous.start(() -> {
				response.setStatus(202);
				asynchronous.complete();
			});
		}

		@RequestMapping("/asynchronous-text")
		@Idempotent
		public void asynchronousText(HttpServletRequest request, HttpServletResponse response) throws IOException {
			effect();
			PrintWriter writer = response.getWriter();
			writer.print("early ");
			AsyncContext asynchronous = request.startAsync();
			asynchronous.start(() -> {
				writer.flush();
				try {
					this.leave.await(10, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
				writer.print("late");
				asynchronous.complete();
			});
		}

		@RequestMapping("/slow")
		@Idempotent
		public ResponseEntity<Sale> slow() throws InterruptedException {
			this.entered.countDown();
			this.leave.await(10, TimeUnit.SECONDS);
			return created();
		}

		@RequestMapping("/slow-large")
		@Idempotent
		public String slowLarge() throws InterruptedException {
			slow();
			return "x".repeat(200_000);
		}

		@RequestMapping("/waits")
		@Idempotent(onDuplicate = OnDuplicate.WAIT)
		public ResponseEntity<Sale> waits() throws InterruptedException {
			return slow();
		}

		@RequestMapping("/large")
		@Idempotent
		public ResponseEntity<String> large() {
			effect();
			return ResponseEntity.status(201).body("x".repeat(300_000));
		}

		@RequestMapping("/large-written")
		@Idempotent
		public void largeWritten(HttpServletResponse response) throws IOException {
			effect();
			byte[] bytes = new byte[30_000];
			Arrays.fill(bytes, (byte) 'x');
			for (int i = 0; i < 10; i++) {
				response.getOutputStream().write(bytes);
			}
		}

		@RequestMapping("/orders/{id}")
		@Idempotent
		public String order(@PathVariable int id, @RequestBody Order order) {
			return "order " + effect();
		}

		@RequestMapping("/reads")
		@Idempotent
		public String reads(HttpServletRequest request) throws IOException {
			return new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8) + " " + effect();
		}

		@RequestMapping("/form")
		@Idempotent
		public String form(@RequestParam String a) {
			return a + " " + effect();
		}

		@RequestMapping("/upload")
		@Idempotent
		public String upload(@RequestParam MultipartFile file) {
			return file.getSize() + " " + effect();
		}

		@RequestMapping("/outer")
		@Idempotent
		public String outer() {
			effect();
			return this.inner.once("same") + " and " + this.inner.handler();
		}

		@RequestMapping("/retried")
		@Idempotent
		@Retried
		@Transactional
		public String retried() {
			int attempt = effect();
			if (attempt == 1) {
				throw new ConflictException("try again");
			}
			return "attempt " + attempt;
		}

		@RequestMapping("/replaced")
		@Idempotent
		@Replaced
		@Transactional
		public String replaced() {
			effect();
			throw new ConflictException("failed");
		}

		@RequestMapping("/streams")
		public void streams(HttpServletResponse response) throws Exception {
			response.getOutputStream().write("first".getBytes(StandardCharsets.US_ASCII));
			response.flushBuffer();
			this.leave.await(10, TimeUnit.SECONDS);
			response.getOutputStream().write("second".getBytes(StandardCharsets.US_ASCII));
		}

		@RequestMapping("/streams-late")
		public StreamingResponseBody streamsLate() {
			return (stream) -> stream.write("late".getBytes(StandardCharsets.US_ASCII));
		}

	}

	@Controller
	static class Pages {

		private final Desk desk;

		Pages(Desk desk) {
			this.desk = AopTestUtils.getUltimateTargetObject(desk);
		}

		@PostMapping("/plain")
		public void plain(HttpServletResponse response) throws IOException {
			response.setContentType("text/plain;charset=UTF-8");
			response.getWriter().print("plain \u00e4 " + this.desk.effects());
		}

		@PostMapping("/forward")
		@Idempotent
		public String forward() {
			this.desk.effect();
			return "forward:/plain";
		}

		@PostMapping("/forward-without-key")
		@Idempotent(required = false)
		public String forwardWithoutKey() {
			this.desk.effect();
			return "forward:/plain";
		}

		@PostMapping("/forward-to-guarded")
		public String forwardToGuarded() {
			return "forward:/created";
		}

		@PostMapping("/forward-to-nothing")
		@Idempotent
		public String forwardToNothing() {
			this.desk.effect();
			return "forward:/nowhere";
		}

		@PostMapping("/forward-itself")
		@Idempotent
		public void forwardItself(HttpServletRequest request, HttpServletResponse response) throws Exception {
			this.desk.effect();
			request.getRequestDispatcher("/plain").forward(request, response);
		}

		@PostMapping("/forward-itself-to-error")
		@Idempotent
		public void forwardItselfToError(HttpServletRequest request, HttpServletResponse response) throws Exception {
			this.desk.effect();
			request.getRequestDispatcher("/refused").forward(request, response);
		}

		@PostMapping("/refused")
		public void refused(HttpServletResponse response) throws IOException {
			response.sendError(404);
		}

		@PostMapping("/redirect")
		@Idempotent
		public String redirect() {
			return "redirect:/sales/" + next(6);
		}

		@PostMapping("/view")
		@Idempotent
		public View view() {
			return page(this.desk.effect(), false);
		}

		@PostMapping("/page")
		@Idempotent
		public ModelAndView page() {
			return new ModelAndView(page(next(7), false));
		}

		@PostMapping("/slow-page")
		@Idempotent
		public View slowPage() {
			return page(this.desk.effect(), true);
		}

		@PostMapping("/broken-view")
		@Idempotent
		public View brokenView() {
			this.desk.effect();
			return (model, request, response) -> {
				response.getOutputStream().write('x');
				throw new IllegalStateException("broken");
			};
		}

		private int next(int wanted) {
			int number = this.desk.effect();
			return Math.max(number, wanted);
		}

		private View page(int number, boolean slow) {
			return (model, request, response) -> {
				response.setContentType("text/html");
				if (slow) {
					this.desk.rendering.countDown();
					this.desk.leave.await(10, TimeUnit.SECONDS);
				}
				response.getWriter().print("<p>" + number + "</p>");
			};
		}

	}

	@Service
	@Controller
	static class Inner {

		private final AtomicInteger effects = new AtomicInteger();

		public void reset() {
			this.effects.set(0);
		}

		@Idempotent(key = "#key")
		public String once(String key) {
			return "inner " + this.effects.incrementAndGet();
		}

		@GetMapping("/inner")
		@ResponseBody
		@Idempotent(key = "'same'")
		public String handler() {
			return "1";
		}

	}

	@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
	@interface Retried {

	}

	@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
	@interface Replaced {

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

	static class Refusal implements HandlerInterceptor {

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView modelAndView) {
			if (request.getHeader("X-Refused") != null) {
				throw new ResponseStatusException(HttpStatus.FORBIDDEN);
			}
		}

	}

	static class Watched implements Filter {

		static volatile String seen = "";

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			if (((HttpServletRequest) request).getHeader("X-Watched") == null) {
				chain.doFilter(request, response);
				return;
			}
			ContentCachingResponseWrapper watched = new ContentCachingResponseWrapper((HttpServletResponse) response);
			chain.doFilter(request, watched);
			seen = watched.getStatus() + " " + new String(watched.getContentAsByteArray(), StandardCharsets.UTF_8);
			watched.copyBodyToResponse();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity
	@Import({ Desk.class, Pages.class, Inner.class, Advice.class, Watched.class })
	static class Configured {

		@Bean
		WebMvcConfigurer refusals() {
			return new WebMvcConfigurer() {

				@Override
				public void addInterceptors(InterceptorRegistry registry) {
					registry.addInterceptor(new Refusal());
				}

			};
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable()).build();
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor retried() {
			return outermost(Retried.class, (invocation) -> {
				try {
					return ((ProxyMethodInvocation) invocation).invocableClone().proceed();
				}
				catch (ConflictException ex) {
					return invocation.proceed();
				}
			});
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor replaced() {
			return outermost(Replaced.class, (invocation) -> {
				try {
					return invocation.proceed();
				}
				catch (ConflictException ex) {
					return "replaced";
				}
			});
		}

		private static Advisor outermost(Class<? extends java.lang.annotation.Annotation> annotation,
				MethodInterceptor interceptor) {
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
					new AnnotationMatchingPointcut(null, annotation), interceptor);
			advisor.setOrder(Ordered.HIGHEST_PRECEDENCE);
			return advisor;
		}

	}

}
