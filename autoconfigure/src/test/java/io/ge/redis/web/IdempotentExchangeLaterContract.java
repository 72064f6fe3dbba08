// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Responses that are kept as they were sent, of handlers on Spring MVC that have returned
 * before: in which form, says a test that extends this.
 */
abstract class IdempotentExchangeLaterContract extends IdempotentExchangeServletContract {

	@Override
	Stream<String> server() {
		return Stream.concat(super.server(),
				// Threads of Reactor outlive an application
				Stream.of("logging.level.org.apache.catalina.loader.WebappClassLoaderBase=ERROR"));
	}

	LaterWork work() {
		return application().getBean(LaterWork.class);
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
	@ValueSource(strings = { "view", "redirect", "page", "thrown", "forward-to-guarded" })
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
		// One that is not told by the instance of the first call, and is there before it:
		// a handler is not held back for as long as a start may take
		try (ConfigurableApplicationContext other = another("ge.redis.idempotency.witness=off")) {
			CompletableFuture<HttpResponse<byte[]>> first = CompletableFuture
				.supplyAsync(() -> post("/short-lease", "k"), THREAD_EACH);
			assertThat(entered().await(10, TimeUnit.SECONDS)).isTrue();
			await().atMost(Duration.ofSeconds(20))
				.during(Duration.ofSeconds(2))
				.untilAsserted(
						() -> assertProblem(send(request(other, "/short-lease", "k")), 409, "request-in-flight"));
			leave().countDown();
			assertThat(text(first.get(10, TimeUnit.SECONDS))).isEqualTo("late 1");
			HttpResponse<byte[]> again = send(request(other, "/short-lease", "k"));
			assertThat(text(again)).isEqualTo("late 1");
			assertThat(again.headers().firstValue(REPLAYED)).contains("true");
			assertThat(other.getBean(LaterWork.class).effects.get()).isZero();
		}
	}

	@Test
	void outcomeIsUnknownIfNobodyWaitsAnyLonger() throws Exception {
		try (ConfigurableApplicationContext impatient = another("spring.mvc.async.request-timeout=200ms",
				"ge.redis.idempotency.witness=off")) {
			LaterWork work = impatient.getBean(LaterWork.class);
			String key = begunAndLeft(impatient, "/late");
			await().atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertProblem(send(request(impatient, "/late", key)), 409, "outcome-unknown"));
			work.leave.countDown();
			assertProblem(send(request(impatient, "/late", key)), 409, "outcome-unknown");
			assertThat(work.effects.get()).isEqualTo(1);
		}
	}

	/**
	 * Sends requests until one has come to its handler before nobody waited any more.
	 * @return its key
	 */
	static String begunAndLeft(ConfigurableApplicationContext impatient, String path) {
		LaterWork work = impatient.getBean(LaterWork.class);
		for (int attempt = 0;; attempt++) {
			assertThat(send(request(impatient, path, "k-" + attempt)).statusCode()).isEqualTo(503);
			if (work.effects.get() > 0) {
				assertThat(work.effects.get()).isEqualTo(1);
				return "k-" + attempt;
			}
		}
	}

	@Test
	void callsAreSettledWhetherTheyOrTheTimeAreSooner() throws Exception {
		try (ConfigurableApplicationContext impatient = another("spring.mvc.async.request-timeout=100ms",
				"ge.redis.idempotency.witness=off")) {
			LaterWork work = impatient.getBean(LaterWork.class);
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

	@RestController
	static class Plain {

		private final LaterWork work;

		Plain(LaterWork work) {
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

	static class Watched extends OncePerRequestFilter {

		static final ThreadLocal<String> BOUND = ThreadLocal.withInitial(() -> "nothing");

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
				saw(watched);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Surroundings.class, LaterWork.class, Plain.class, Forwarding.class, Watched.class })
	static class Common {

	}

}
