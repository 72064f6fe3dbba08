// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OnDuplicate;
import io.ge.redis.test.SharedRedis;
import io.ge.redis.test.Wide;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.stereotype.Controller;
import org.springframework.stereotype.Service;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import org.springframework.web.util.ContentCachingResponseWrapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Responses that are kept as they were sent, called over HTTP.
 */
class IdempotentExchangeIntegrationTests extends IdempotentExchangeServletContract {

	private Desk desk;

	@BeforeAll
	void findDesk() {
		this.desk = AopTestUtils.getUltimateTargetObject(application().getBean(Desk.class));
	}

	@Override
	Class<?> configuration() {
		return Configured.class;
	}

	@Override
	void reset() {
		this.desk.reset();
	}

	@Override
	int effects() {
		return this.desk.effects();
	}

	@Override
	CountDownLatch entered() {
		return this.desk.entered;
	}

	@Override
	CountDownLatch leave() {
		return this.desk.leave;
	}

	@ParameterizedTest
	@ValueSource(strings = { "written-text", "view", "redirect", "page", "rolled-back", "forward-to-guarded" })
	@Wide
	void repetitionGetsTheSameWhateverMadeTheResponse(String path) {
		assertRepeated(path);
	}

	@Test
	@Wide
	void responsesOfServletsAreWhatTheyWouldBeWithoutKey() {
		assertThat(post("/written-text", "k-2").headers().firstValue("Content-Type"))
			.contains("text/plain;charset=ISO-8859-1");
		assertThat(post("/redirect", "k-6").headers().firstValue("Location").orElseThrow()).endsWith("/sales/6");
		assertThat(text(post("/page", "k-7"))).isEqualTo("<p>7</p>");
	}

	@Test
	@Wide
	void responseThatIsForwardedIsThere() {
		assertThat(text(post("/forward", "k-1"))).isEqualTo("plain \u00e4 1");
		assertThat(text(post("/forward-to-guarded", "k-2"))).isEqualTo("{\"id\":2,\"amount\":1.50}");
		assertThat(text(send(HttpRequest.newBuilder(uri(application(), "/forward-without-key"))
			.POST(HttpRequest.BodyPublishers.noBody())))).isEqualTo("plain \u00e4 3");
		assertThat(text(post("/forward-itself", "k-4"))).isEqualTo("plain \u00e4 4");
		assertThat(post("/forward-to-nothing", "k-5").statusCode()).isEqualTo(404);
		HttpResponse<byte[]> refused = post("/forward-itself-to-error", "k-6");
		assertThat(refused.statusCode()).isEqualTo(404);
		assertThat(text(refused)).contains("\"status\":404");
	}

	@Test
	@Wide
	void handlerThatStartsAsynchronousProcessingIsRefused() {
		assertThat(post("/asynchronous", "k").statusCode()).isEqualTo(500);
		assertProblem(post("/asynchronous", "k"), 409, "outcome-unknown");
		assertThat(this.desk.effects()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "rolled-back-conflict", "rolled-back-unavailable", "rolled-back-envelope",
			"rolled-back-failure" })
	@Wide
	void answerAfterARollbackFreesTheKey(String path) {
		int status = post("/" + path, "k").statusCode();
		HttpResponse<byte[]> again = post("/" + path, "k");
		assertThat(again.statusCode()).isEqualTo(status);
		assertThat(again.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(this.desk.effects()).isEqualTo(2);
		assertThat(rows()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "committed-failure", "committed-conflict" })
	@Wide
	void failureAfterACommitClosesTheKey(String path) {
		assertThat(post("/" + path, "k").statusCode()).isNotEqualTo(409);
		assertProblem(post("/" + path, "k"), 409, "outcome-unknown");
		assertThat(this.desk.effects()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "broken-view", "forward", "forward-itself", "forward-itself-to-error" })
	@Wide
	void effectStandsAlthoughThereIsNoResponse(String path) {
		post("/" + path, "k");
		assertProblem(post("/" + path, "k"), 409, "response-lost");
		assertThat(this.desk.effects()).isEqualTo(1);
	}

	@Test
	void callIsInFlightUntilItsResponseIsMade() throws Exception {
		CompletableFuture<HttpResponse<byte[]>> first = CompletableFuture.supplyAsync(() -> post("/slow-page", "k"),
				THREAD_EACH);
		assertThat(this.desk.rendering.await(10, TimeUnit.SECONDS)).isTrue();
		assertProblem(post("/slow-page", "k"), 409, "request-in-flight");
		this.desk.leave.countDown();
		assertThat(text(first.get(10, TimeUnit.SECONDS))).isEqualTo("<p>1</p>");
		assertThat(text(post("/slow-page", "k"))).isEqualTo("<p>1</p>");
	}

	@Test
	@Wide
	void witnessKeepsTheValueFromWhichTheResponseIsRendered() {
		try (ConfigurableApplicationContext witnessed = another("ge.redis.idempotency.witness=required",
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
	@Wide
	void whatTheServerDoesNotTakeApartIsComparedAsItCame(String type) {
		try (ConfigurableApplicationContext whole = another("spring.servlet.multipart.enabled=false",
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
	void checkOfTheResultSeesWhatIsGivenAgain() {
		HttpResponse<byte[]> first = post("/checked", "k");
		assertThat(text(first)).isEqualTo("{\"id\":1,\"amount\":1.50}");
		HttpResponse<byte[]> again = post("/checked", "k");
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(post("/checked", "k-2").statusCode()).isEqualTo(403);
		assertThat(post("/checked", "k-2").statusCode()).isEqualTo(403);
		assertThat(this.desk.effects()).isEqualTo(2);
	}

	@Test
	@Wide
	void answerOfAdviceAroundTheGuardIsNotThatOfTheCall() {
		assertThat(text(post("/replaced", "k"))).isEqualTo("replaced");
		assertThat(post("/replaced", "k").headers().firstValue(REPLAYED)).isEmpty();
		assertThat(this.desk.effects()).isEqualTo(2);
	}

	@Test
	void responseOfAnotherHandlerIsNotHeldBack() throws Exception {
		HttpResponse<InputStream> response = CLIENT.send(request("/streams", "k").build(),
				HttpResponse.BodyHandlers.ofInputStream());
		assertThat(response.body().readNBytes(5)).asString().isEqualTo("first");
		this.desk.leave.countDown();
		assertThat(response.body().readAllBytes()).asString().isEqualTo("second");
		response = CLIENT.send(request("/streams-late", "k").build(), HttpResponse.BodyHandlers.ofInputStream());
		assertThat(response.body().readAllBytes()).asString().isEqualTo("late");
	}

	private int rows() {
		Integer rows = application().getBean(JdbcTemplate.class)
			.queryForObject("select count(*) from sale", Integer.class);
		return (rows != null) ? rows : -1;
	}

	@Controller
	@ResponseBody
	@RequestMapping(method = { RequestMethod.POST, RequestMethod.PUT, RequestMethod.HEAD })
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
			return ExchangedSales.sale(effect());
		}

		@RequestMapping("/value")
		@Idempotent
		public Sale value() {
			return sale();
		}

		@RequestMapping("/created")
		@Idempotent
		public ResponseEntity<Sale> created() {
			return ExchangedSales.created(effect());
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
			return ExchangedSales.bytes(effect());
		}

		@RequestMapping("/zipped")
		@Idempotent
		public ResponseEntity<byte[]> zipped() throws IOException {
			return ExchangedSales.zipped(effect());
		}

		@RequestMapping("/file")
		@Idempotent
		public ResponseEntity<Resource> file() {
			return ExchangedSales.file(effect());
		}

		@RequestMapping("/entity")
		@Idempotent
		public HttpEntity<String> entity() {
			return ExchangedSales.entity(effect());
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
	@interface Replaced {

	}

	static class Watched implements Filter {

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			if (((HttpServletRequest) request).getHeader("X-Watched") == null) {
				chain.doFilter(request, response);
				return;
			}
			ContentCachingResponseWrapper watched = new ContentCachingResponseWrapper((HttpServletResponse) response);
			chain.doFilter(request, watched);
			saw(watched);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Surroundings.class, Desk.class, Pages.class, Inner.class, Watched.class })
	static class Configured {

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

	}

}
