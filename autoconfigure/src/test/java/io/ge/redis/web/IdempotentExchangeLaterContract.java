/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import io.ge.redis.idempotency.IdempotencyContext;
import io.ge.redis.test.SharedRedis;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.Ordered;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.ContentCachingResponseWrapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Responses that are kept as they were sent, of handlers on Spring MVC that have returned
 * before: in which form, says a test that extends this.
 */
abstract class IdempotentExchangeLaterContract extends IdempotentExchangeContract {

	static ConfigurableApplicationContext start(Class<?> configuration, String... properties) {
		return new SpringApplication(configuration)
			.run(Stream
				.of(Stream.of(properties()),
						Stream.of("--spring.mvc.problemdetails.enabled=true",
								"--logging.level.org.apache.catalina.core.ContainerBase=OFF",
								// Threads of Reactor outlive an application
								"--logging.level.org.apache.catalina.loader.WebappClassLoaderBase=ERROR"),
						Stream.of(properties).map((property) -> "--" + property))
				.flatMap((all) -> all)
				.toArray(String[]::new));
	}

	Work work() {
		return application().getBean(Work.class);
	}

	@Override
	void reset() {
		work().reset();
	}

	@Override
	int effects() {
		return work().effects.get();
	}

	@Override
	CountDownLatch entered() {
		return work().entered;
	}

	@Override
	CountDownLatch leave() {
		return work().leave;
	}

	@ParameterizedTest
	@ValueSource(strings = { "view", "redirect", "page", "thrown", "forward", "forward-to-guarded" })
	void repetitionGetsTheSameWhateverMadeTheResponse(String path) {
		assertRepeated(path);
	}

	@Test
	void responsesOfServletsAreWhatTheyWouldBeWithoutKey() {
		assertThat(post("/redirect", "k-1").headers().firstValue("Location").orElseThrow()).endsWith("/sales/1");
		assertThat(text(post("/page", "k-2"))).isEqualTo("<p>2</p>");
		assertThat(text(post("/forward", "k-3"))).isEqualTo("plain \u00e4 3");
		assertThat(text(post("/forward-to-guarded", "k-4"))).isEqualTo("{\"id\":4,\"amount\":1.50}");
	}

	@Test
	void errorIsRepeatedAndItsPageRenderedAnew() {
		HttpResponse<byte[]> first = post("/gone", "k");
		HttpResponse<byte[]> again = post("/gone", "k");
		assertThat(first.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		for (HttpResponse<byte[]> response : List.of(first, again)) {
			assertThat(response.statusCode()).isEqualTo(410);
			assertThat(text(response)).contains("\"status\":410", "\"path\":\"/gone\"");
		}
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void handlerFindsWhatPlainOnesFind() {
		HttpResponse<byte[]> first = send(request("/surroundings", "k").header("Accept-Language", "de"));
		assertThat(text(first)).isEqualTo("/surroundings de anonymousUser bound true true");
		assertThat(post("/surroundings", "k").body()).isEqualTo(first.body());
	}

	@Test
	void handlerBehindAGuardThatHasAskedRedisFindsItsRequest() {
		HttpResponse<byte[]> first = send(request("/limited", "k").header("Accept-Language", "de"));
		assertThat(text(first)).isEqualTo("/limited de 1");
		assertThat(first.headers().map()).containsKey("RateLimit");
		HttpResponse<byte[]> again = send(request("/limited", "k").header("Accept-Language", "de"));
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(again.headers().map()).containsKeys("RateLimit", REPLAYED);
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void keyIsInFlightForLongerThanItsLease() throws Exception {
		CompletableFuture<HttpResponse<byte[]>> first = CompletableFuture.supplyAsync(() -> post("/short-lease", "k"),
				THREAD_EACH);
		assertThat(entered().await(10, TimeUnit.SECONDS)).isTrue();
		// One that is not told by the instance of the first call
		try (ConfigurableApplicationContext other = another("ge.redis.idempotency.witness=off")) {
			await().atMost(Duration.ofSeconds(20))
				.during(Duration.ofSeconds(2))
				.untilAsserted(
						() -> assertProblem(send(request(other, "/short-lease", "k")), 409, "request-in-flight"));
			leave().countDown();
			assertThat(text(first.get(10, TimeUnit.SECONDS))).isEqualTo("late 1");
			HttpResponse<byte[]> again = send(request(other, "/short-lease", "k"));
			assertThat(text(again)).isEqualTo("late 1");
			assertThat(again.headers().firstValue(REPLAYED)).contains("true");
			assertThat(other.getBean(Work.class).effects.get()).isZero();
		}
	}

	@Test
	void outcomeIsUnknownIfNobodyWaitsAnyLonger() throws Exception {
		try (ConfigurableApplicationContext impatient = another("spring.mvc.async.request-timeout=200ms",
				"ge.redis.idempotency.witness=off")) {
			Work work = impatient.getBean(Work.class);
			HttpResponse<byte[]> first = send(request(impatient, "/late", "k"));
			assertThat(first.statusCode()).isEqualTo(503);
			assertThat(work.effects.get()).isEqualTo(1);
			await().atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertProblem(send(request(impatient, "/late", "k")), 409, "outcome-unknown"));
			work.leave.countDown();
			assertProblem(send(request(impatient, "/late", "k")), 409, "outcome-unknown");
			assertThat(work.effects.get()).isEqualTo(1);
		}
	}

	@Test
	void callsAreSettledWhetherTheyOrTheTimeAreSooner() throws Exception {
		try (ConfigurableApplicationContext impatient = another("spring.mvc.async.request-timeout=100ms",
				"ge.redis.idempotency.witness=off")) {
			Work work = impatient.getBean(Work.class);
			List<CompletableFuture<HttpResponse<byte[]>>> calls = new ArrayList<>();
			for (int call = 0; call < 40; call++) {
				// The server looks once a second whether the time is up
				HttpRequest.Builder request = request(impatient, "/delayed?millis=" + call * 50, "k-" + call);
				calls.add(CompletableFuture.supplyAsync(() -> send(request), THREAD_EACH));
			}
			for (int call = 0; call < 40; call++) {
				boolean answered = calls.get(call).get(20, TimeUnit.SECONDS).statusCode() == 200;
				HttpRequest.Builder request = request(impatient, "/delayed?millis=" + call * 50, "k-" + call);
				await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
					HttpResponse<byte[]> again = send(request);
					if (again.statusCode() != 200) {
						assertProblem(again, 409, "outcome-unknown");
						assertThat(answered).isFalse();
					}
				});
			}
			// What was cancelled in time has none
			assertThat(work.effects.get()).isLessThanOrEqualTo(40);
			work.leave.countDown();
		}
	}

	@Test
	void refusalOfAnotherThreadIsAnsweredInFrontOfACatchAll() {
		assertProblem(
				send(HttpRequest.newBuilder(uri(application(), "/value")).POST(HttpRequest.BodyPublishers.noBody())),
				400, "idempotency-key-required");
	}

	@Test
	void filterWithoutAnOrderSeesTheResponse() {
		for (int call = 0; call < 2; call++) {
			Watched.seen = "";
			send(request("/created", "k").header("X-Watched", "true"));
			assertThat(Watched.seen).isEqualTo("201 {\"id\":1,\"amount\":1.50}");
		}
	}

	@Test
	void valueIsRenderedAnewWhereTheResponseCouldNotBeMade() {
		HttpResponse<byte[]> first = send(request("/value", "k").header("Accept", "text/csv"));
		assertThat(first.statusCode()).isEqualTo(406);
		HttpResponse<byte[]> again = send(request("/value", "k").header("Accept", "application/json"));
		assertThat(again.statusCode()).isEqualTo(200);
		assertThat(again.headers().firstValue(REPLAYED)).contains("true");
		assertThat(text(again)).isEqualTo("{\"id\":1,\"amount\":1.50}");
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void whoIsRefusedAfterTheGuardGetsNothingOfTheKeptResponse() {
		HttpResponse<byte[]> first = post("/created", "k");
		HttpResponse<byte[]> refused = send(request("/created", "k").header("X-Refused", "true"));
		assertThat(refused.statusCode()).isEqualTo(403);
		assertThat(text(refused)).doesNotContain("amount");
		assertThat(refused.headers().map()).doesNotContainKeys("Location", "ETag", "Link", REPLAYED);
		assertThat(post("/created", "k").body()).isEqualTo(first.body());
		assertThat(effects()).isEqualTo(1);
	}

	@Test
	void requestsAtTheSameTimeHaveOneEffect() throws Exception {
		for (int round = 0; round < 20; round++) {
			String key = "k-" + round;
			List<CompletableFuture<HttpResponse<byte[]>>> all = Stream
				.generate(() -> CompletableFuture.supplyAsync(() -> post("/value", key), THREAD_EACH))
				.limit(8)
				.toList();
			for (CompletableFuture<HttpResponse<byte[]>> one : all) {
				assertThat(one.get(20, TimeUnit.SECONDS).statusCode()).isIn(200, 409);
			}
			assertThat(post("/value", key).headers().firstValue(REPLAYED)).contains("true");
			assertThat(effects()).isEqualTo(round + 1);
		}
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

	/**
	 * What handlers do, whenever they do it.
	 */
	static class Work {

		final AtomicInteger effects = new AtomicInteger();

		final AtomicInteger innerEffects = new AtomicInteger();

		private final JdbcTemplate jdbc;

		volatile CountDownLatch entered = new CountDownLatch(1);

		volatile CountDownLatch leave = new CountDownLatch(1);

		volatile CountDownLatch cancelled = new CountDownLatch(1);

		Work(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("create table if not exists sale (id int)");
		}

		void reset() {
			this.effects.set(0);
			this.innerEffects.set(0);
			this.jdbc.execute("truncate table sale");
			this.entered = new CountDownLatch(1);
			this.leave = new CountDownLatch(1);
			this.cancelled = new CountDownLatch(1);
		}

		int rows() {
			Integer rows = this.jdbc.queryForObject("select count(*) from sale", Integer.class);
			return (rows != null) ? rows : -1;
		}

		int effect() {
			return this.effects.incrementAndGet();
		}

		int row() {
			int number = effect();
			this.jdbc.update("insert into sale (id) values (?)", number);
			return number;
		}

		Sale sale() {
			return new Sale(effect(), new java.math.BigDecimal("1.50"));
		}

		ResponseEntity<Sale> created() {
			Sale sale = sale();
			return ResponseEntity.created(URI.create("/sales/" + sale.id()))
				.eTag("\"" + sale.id() + "\"")
				.header("Link", "</sales>; rel=\"collection\"", "</>; rel=\"up\"")
				.header("Set-Cookie", "a=b")
				.header("X-Cost", "3")
				.body(sale);
		}

		ResponseEntity<Void> nothing() {
			effect();
			return ResponseEntity.noContent().build();
		}

		ResponseEntity<byte[]> bytes() {
			return ResponseEntity.ok()
				.contentType(MediaType.IMAGE_PNG)
				.body(new byte[] { 0, (byte) 0xff, (byte) effect() });
		}

		ResponseEntity<byte[]> zipped() throws IOException {
			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
				zip.write(effect());
			}
			return ResponseEntity.ok().header("Content-Encoding", "gzip").body(bytes.toByteArray());
		}

		ResponseEntity<Resource> file() {
			return ResponseEntity.ok()
				.header("Content-Disposition", "attachment; filename=\"a.bin\"")
				.contentType(MediaType.APPLICATION_OCTET_STREAM)
				.body(new ByteArrayResource(new byte[] { 1, 2, (byte) effect() }));
		}

		HttpEntity<String> entity() {
			return new HttpEntity<>("entity " + effect(), new HttpHeaders());
		}

		@Nullable Void written(HttpServletResponse response) throws IOException {
			response.setStatus(201);
			response.setContentType("application/octet-stream");
			response.getOutputStream().write(new byte[] { 0, (byte) 0xff, (byte) effect() });
			response.flushBuffer();
			return null;
		}

		@Nullable Void largeWritten(HttpServletResponse response) throws IOException {
			effect();
			byte[] bytes = "x".repeat(30_000).getBytes(StandardCharsets.US_ASCII);
			for (int i = 0; i < 10; i++) {
				response.getOutputStream().write(bytes);
			}
			return null;
		}

		<T> T fail(Supplier<? extends RuntimeException> failure) {
			effect();
			throw failure.get();
		}

		String read(HttpServletRequest request) throws IOException {
			return new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8) + " " + effect();
		}

		void pause() {
			this.entered.countDown();
			try {
				this.leave.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		ResponseEntity<Sale> slow() {
			pause();
			return created();
		}

		String slowLarge() {
			pause();
			effect();
			return "x".repeat(200_000);
		}

		String late() {
			int number = effect();
			pause();
			return "late " + number;
		}

		String delayed(int millis) throws InterruptedException {
			int number = effect();
			this.leave.await(millis, TimeUnit.MILLISECONDS);
			return "delayed " + number;
		}

		String surroundings() {
			ServletRequestAttributes request = (ServletRequestAttributes) RequestContextHolder
				.currentRequestAttributes();
			var user = SecurityContextHolder.getContext().getAuthentication();
			return String.join(" ", request.getRequest().getRequestURI(), LocaleContextHolder.getLocale().toString(),
					(user != null) ? user.getName() : "nobody", Watched.BOUND.get(),
					String.valueOf(TransactionSynchronizationManager.isActualTransactionActive()),
					String.valueOf(IdempotencyContext.current().fence() > 0));
		}

		String limited() {
			ServletRequestAttributes request = (ServletRequestAttributes) RequestContextHolder
				.currentRequestAttributes();
			return String.join(" ", request.getRequest().getRequestURI(), LocaleContextHolder.getLocale().toString(),
					String.valueOf(effect()));
		}

		View page() {
			int number = effect();
			return (model, request, response) -> {
				response.setContentType("text/html");
				response.getWriter().print("<p>" + number + "</p>");
			};
		}

	}

	@RestController
	static class Plain {

		private final Work work;

		Plain(Work work) {
			this.work = work;
		}

		@PostMapping("/plain")
		void plain(HttpServletResponse response) throws IOException {
			response.setContentType("text/plain;charset=UTF-8");
			response.getWriter().print("plain \u00e4 " + this.work.effects);
		}

	}

	@org.springframework.stereotype.Controller
	static class Forwarding {

		@PostMapping("/forward-to-guarded")
		String forwardToGuarded() {
			return "forward:/value";
		}

	}

	@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
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

	static class Refusal implements HandlerInterceptor {

		@Override
		public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
				@Nullable ModelAndView modelAndView) {
			if (request.getHeader("X-Refused") != null) {
				throw new ResponseStatusException(HttpStatus.FORBIDDEN);
			}
		}

	}

	static class Watched extends OncePerRequestFilter {

		static final ThreadLocal<String> BOUND = ThreadLocal.withInitial(() -> "nothing");

		static volatile String seen = "";

		@Override
		protected boolean shouldNotFilterAsyncDispatch() {
			return false;
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			if (request.getHeader("X-Watched") == null) {
				BOUND.set("bound");
				chain.doFilter(request, response);
				BOUND.remove();
				return;
			}
			ContentCachingResponseWrapper watched = (request
				.getAttribute("watched") instanceof ContentCachingResponseWrapper before) ? before
						: new ContentCachingResponseWrapper(response);
			request.setAttribute("watched", watched);
			chain.doFilter(request, isAsyncDispatch(request) ? response : watched);
			if (!isAsyncStarted(request)) {
				seen = watched.getStatus() + " " + new String(watched.getContentAsByteArray(), StandardCharsets.UTF_8);
				watched.copyBodyToResponse();
			}
		}

	}

	static Advisor outermost(Class<? extends java.lang.annotation.Annotation> annotation,
			MethodInterceptor interceptor) {
		DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, annotation),
				interceptor);
		advisor.setOrder(Ordered.HIGHEST_PRECEDENCE);
		return advisor;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity
	@Import({ Work.class, Plain.class, Forwarding.class, Advice.class, Watched.class })
	static class Common {

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

	}

}
