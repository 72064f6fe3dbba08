// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.ge.redis.GeRedisException;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.idempotency.Idempotent;
import io.ge.redis.idempotency.OversizedResponse;
import io.ge.redis.idempotency.spi.IdempotencyKeySource;
import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.ShallowEtagHeaderFilter;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.util.ContentCachingResponseWrapper;
import org.springframework.web.util.WebUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What is held back, what is passed on, and what is kept.
 */
class ServletExchangeTests {

	private static final ExchangeRules RULES = new ExchangeRules(ExchangeRules.keptHeaders(List.of()), 10,
			OversizedResponse.LOST, 5);

	private final MockHttpServletRequest request = new MockHttpServletRequest("POST", "/shop/sales;jsessionid=4711/1");

	private final MockHttpServletResponse server = new MockHttpServletResponse();

	private final Ends completion = new Ends();

	private ServletExchange exchange = exchange(OversizedResponse.LOST);

	private ServletExchange exchange(OversizedResponse oversized) {
		return new ServletExchange(this.request, this.server,
				new ExchangeRules(ExchangeRules.keptHeaders(List.of()), 10, oversized, 5));
	}

	@Test
	void passesOnUntilACallIsCaptured() throws Exception {
		HttpServletResponse response = this.exchange.response();
		assertThat(response.getOutputStream()).isSameAs(this.server.getOutputStream());
		assertThat(this.exchange.request().getInputStream()).isSameAs(this.request.getInputStream());
		response.setContentLength(3);
		response.getOutputStream().write(bytes("abc"));
		response.flushBuffer();
		assertThat(this.server.isCommitted()).isTrue();
		assertThat(this.server.getContentAsString()).isEqualTo("abc");
		assertThat(this.server.getContentLength()).isEqualTo(3);
		this.exchange.end(false);
	}

	@Test
	void redirectionIsPassedOnAsItCame() throws Exception {
		List<String> called = new ArrayList<>();
		HttpServletResponse outer = new HttpServletResponseWrapper(this.server) {

			@Override
			public void sendRedirect(String location) {
				called.add(location);
			}

			@Override
			public void sendRedirect(String location, int status) {
				called.add(location + " " + status);
			}

			@Override
			public void sendRedirect(String location, boolean clearBuffer) {
				called.add(location + " " + clearBuffer);
			}

			@Override
			public void sendRedirect(String location, int status, boolean clearBuffer) {
				called.add(location + " " + status + " " + clearBuffer);
			}

		};
		HttpServletResponse response = new ServletExchange(this.request, outer, RULES).response();
		response.sendRedirect("/1");
		response.sendRedirect("/2", 303);
		response.sendRedirect("/3", false);
		response.sendRedirect("/4", 307, false);
		assertThat(called).containsExactly("/1", "/2 303", "/3 false", "/4 307 false");
	}

	@Test
	void holdsBackUntilItIsKept() throws Exception {
		expect();
		ServletOutputStream early = this.exchange.response().getOutputStream();
		this.exchange.capture(this.completion);
		HttpServletResponse response = this.exchange.response();
		response.setStatus(201);
		response.setContentType("text/plain");
		response.setContentLength(3);
		response.setHeader("ETag", "\"1\"");
		response.setHeader("Set-Cookie", "a=b");
		early.write(bytes("ab"));
		early.write('c');
		early.flush();
		response.flushBuffer();
		assertThat(this.server.isCommitted()).isFalse();
		this.completion.onEnd = () -> assertThat(this.server.getContentAsByteArray()).isEmpty();
		this.exchange.end(false);
		assertThat(this.server.getContentAsString()).isEqualTo("abc");
		assertThat(this.server.getContentLength()).isEqualTo(3);
		StoredResponse kept = this.completion.kept();
		assertThat(kept.body()).isEqualTo(bytes("abc"));
		assertThat(kept.head().status()).isEqualTo(201);
		assertThat(kept.head().headers()).containsOnlyKeys("Content-Type", "ETag");
		this.exchange.end(false);
		assertThat(this.server.getContentAsString()).isEqualTo("abc");
	}

	@Test
	void responseIsHeldBackOnlyIfItsRequestMayHaveAKey() throws Exception {
		this.exchange.begin();
		dispatch("byHeader");
		assertThat(this.exchange.response().getOutputStream()).isSameAs(this.server.getOutputStream());
		dispatch("ownKey");
		assertThat(this.exchange.response().getOutputStream()).isNotSameAs(this.server.getOutputStream());
		this.exchange = exchange(OversizedResponse.LOST);
		this.exchange.begin();
		this.request.addHeader("Idempotency-Key", "k");
		dispatch("byHeader");
		assertThat(this.exchange.response().getOutputStream()).isNotSameAs(this.server.getOutputStream());
	}

	private void dispatch(String name) throws Exception {
		IdempotencyKeyHeader handlers = new IdempotencyKeyHeader(() -> "Idempotency-Key", new ServletRequests());
		Method method = Sales.class.getDeclaredMethod(name);
		handlers.bind(new GuardedMethod(method, Sales.class, Idempotent.class));
		new IdempotentDispatch(handlers).preHandle(this.request, this.server, new HandlerMethod(new Sales(), method));
	}

	@Test
	void argumentsThatCanBeReadOnceAreNotCompared() throws Exception {
		assertThat(compared("tree", Tree.class)).hasSize(1);
		assertThat(compared("parts", List.class)).isEmpty();
	}

	private static List<@Nullable Object> compared(String name, Class<?> type) throws Exception {
		IdempotencyKeyHeader handlers = new IdempotencyKeyHeader(() -> "Idempotency-Key", new ServletRequests());
		Method method = Sales.class.getDeclaredMethod(name, type);
		IdempotencyKeySource.Calls calls = handlers.bind(new GuardedMethod(method, Sales.class, Idempotent.class));
		assertThat(calls).isNotNull();
		return calls.payload(new Object[] { new Tree() });
	}

	@Test
	void lengthThatFitsIntoNoMemoryIsNotRefused() throws Exception {
		capture();
		HttpServletResponse response = this.exchange.response();
		response.setContentLengthLong(3L << 30);
		response.setHeader("Content-Length", "3221225472");
		response.addHeader("Content-Length", "3221225472");
		response.getOutputStream().write(bytes("abc"));
		this.exchange.end(false);
		assertThat(this.server.getContentLength()).isEqualTo(3);
	}

	@Test
	void interceptorThatCopiesTheBodyDoesNotSendIt() throws Exception {
		capture();
		HttpServletResponse response = this.exchange.response();
		response.getOutputStream().write(bytes("abc"));
		ContentCachingResponseWrapper caching = WebUtils.getNativeResponse(response,
				ContentCachingResponseWrapper.class);
		assertThat(caching).isNotNull();
		caching.copyBodyToResponse();
		assertThat(this.server.isCommitted()).isFalse();
		this.exchange.end(false);
		assertThat(this.completion.kept().body()).isEqualTo(bytes("abc"));
		assertThat(this.server.getContentAsString()).isEqualTo("abc");
	}

	@Test
	void lastEndOfALineIsKeptAndThatOfAnEarlierAttemptIsNot() throws Exception {
		capture();
		this.exchange.response().getWriter().println("wrong");
		this.exchange.forNextCall();
		this.exchange.capture(this.completion);
		this.exchange.response().getWriter().println("abc");
		this.exchange.end(false);
		assertThat(this.completion.kept().body()).asString().isEqualTo("abc" + System.lineSeparator());
		assertThat(this.server.getContentAsString()).isEqualTo("abc" + System.lineSeparator());
	}

	@Test
	void headersOfFiltersAroundItAreTheirs() throws Exception {
		this.server.setHeader("Cache-Control", "no-store");
		this.server.setHeader("Vary", "Origin");
		capture();
		this.exchange.response().addHeader("Vary", "Accept");
		this.exchange.response().setLocale(Locale.FRENCH);
		this.exchange.end(false);
		assertThat(this.completion.kept().head().headers()).containsEntry("Vary", List.of("Origin", "Accept"))
			.containsEntry("Content-Language", List.of("fr"))
			.doesNotContainKey("Cache-Control");
	}

	@Test
	void secondAttemptKeepsTheHeadersOfTheFirstAndNothingElse() throws Exception {
		this.server.setHeader("Vary", "Origin");
		capture();
		HttpServletResponse response = this.exchange.response();
		response.setHeader("ETag", "1");
		response.setContentType("text/plain;charset=UTF-8");
		response.getWriter().print("gr\u00fcn");
		response.sendRedirect("/there");
		this.exchange.forNextCall();
		this.exchange.capture(this.completion);
		response.setStatus(200);
		response.setHeader("ETag", "1");
		response.getWriter().print("blau");
		this.exchange.end(false);
		StoredResponse kept = this.completion.kept();
		assertThat(kept.head().headers()).containsOnlyKeys("Content-Type", "ETag", "Location");
		assertThat(kept.head().status()).isEqualTo(200);
		assertThat(kept.body()).isEqualTo(bytes("blau"));
		assertThat(this.server.getContentAsString()).isEqualTo("blau");
	}

	@Test
	void resetForgetsWhatWasHeldBack() throws Exception {
		capture();
		HttpServletResponse response = this.exchange.response();
		response.getWriter().print("wrong");
		response.setContentLength(5);
		response.resetBuffer();
		response.getWriter().print("gr\u00fcn");
		this.exchange.end(false);
		assertThat(this.server.getContentAsByteArray()).isEqualTo("gr\u00fcn".getBytes(StandardCharsets.ISO_8859_1));
		assertThat(this.server.getContentLength()).isEqualTo(4);
	}

	@Test
	void errorAndRedirectionAreHeldBackAndEndTheResponse() throws Exception {
		capture();
		HttpServletResponse response = this.exchange.response();
		response.getOutputStream().write(bytes("abc"));
		response.sendRedirect("/there", 307);
		assertThat(response.isCommitted()).isTrue();
		response.setStatus(200);
		response.getOutputStream().write(bytes("late"));
		assertThat(this.server.isCommitted()).isFalse();
		this.exchange.end(false);
		assertThat(this.server.getStatus()).isEqualTo(307);
		assertThat(this.server.getContentAsByteArray()).isEmpty();
		assertThat(this.completion.kept().head().headers()).containsEntry("Location", List.of("/there"));
	}

	@Test
	void refusalOfAReplayIsNotHeldUpByTheErrorOfAnEarlierAttempt() throws Exception {
		capture();
		this.exchange.response().sendRedirect("/there");
		this.exchange.forNextCall();
		this.exchange.replay(new StoredResponse(new StoredResponse.Head(201, java.util.Map.of()), new byte[0]).write());
		this.exchange.response().setHeader(IdempotencyKeyHeader.REPLAYED, "true");
		this.exchange.failed(new IllegalStateException());
		HttpServletResponse response = this.exchange.response();
		response.setStatus(403);
		response.getOutputStream().write(bytes("no"));
		this.exchange.end(false);
		assertThat(response.getStatus()).isEqualTo(403);
		assertThat(this.server.getStatus()).isEqualTo(403);
		assertThat(this.server.getContentAsString()).isEqualTo("no");
		assertThat(this.server.containsHeader(IdempotencyKeyHeader.REPLAYED)).isFalse();
	}

	@Test
	void responseOfAForwardIsPassedOnAndLost() throws Exception {
		capture();
		this.exchange.begin();
		this.exchange.response().getOutputStream().write('a');
		this.request.setDispatcherType(DispatcherType.FORWARD);
		filter(new MockEnvironment()).doFilter(this.request, this.exchange.response(),
				(request, response) -> response.getOutputStream().write('b'));
		assertThat(this.server.getContentAsString()).isEqualTo("ab");
		this.exchange.end(false);
		assertThat(this.completion.answers).containsExactly(new Recording.Lost());
	}

	@Test
	void handlerMustNotStartAsynchronousProcessingItself() {
		this.request.setAsyncSupported(true);
		expect();
		assertThatIllegalStateException().isThrownBy(this.exchange.request()::startAsync)
			.withMessageContaining("entity() is @Idempotent")
			.withMessageContaining("Return a CompletableFuture");
	}

	@Test
	void errorIsPassedOnAndKeptAsStatusAndMessage() throws Exception {
		capture();
		this.exchange.response().sendError(404, "none");
		assertThat(this.server.getErrorMessage()).isEqualTo("none");
		this.exchange.end(false);
		byte[] record = this.completion.kept().write();
		MockHttpServletResponse other = new MockHttpServletResponse();
		replay(record, other);
		assertThat(other.getStatus()).isEqualTo(404);
		assertThat(other.getErrorMessage()).isEqualTo("none");
	}

	@Test
	void longResponseIsSentOnceItsCallHasEnded() throws Exception {
		capture();
		HttpServletResponse response = this.exchange.response();
		response.setContentLength(12);
		response.getOutputStream().write(bytes("0123456789ab"));
		this.completion.onEnd = () -> assertThat(this.server.getContentAsByteArray()).isEmpty();
		this.exchange.end(false);
		assertThat(this.completion.answers).containsExactly(new Recording.Lost());
		assertThat(this.server.getContentAsString()).isEqualTo("0123456789ab");
		assertThat(this.server.getContentLength()).isEqualTo(12);
	}

	@Test
	void longErrorStillAsksForAnotherAttempt() throws Exception {
		capture();
		this.exchange.response().setStatus(503);
		this.exchange.response().getOutputStream().write(bytes("0123456789a"));
		this.exchange.end(false);
		assertThat(this.completion.answers.get(0)).isEqualTo(new Recording.Retryable());
	}

	@Test
	void longResponseMayBeKeptWithoutItsBody() throws Exception {
		this.exchange = exchange(OversizedResponse.MINIMAL);
		capture();
		this.exchange.response().setStatus(201);
		this.exchange.response().setContentType("text/plain");
		this.exchange.response().setHeader("Location", "/1");
		this.exchange.response().getOutputStream().write(bytes("0123456789a"));
		this.exchange.end(false);
		MockHttpServletResponse other = new MockHttpServletResponse();
		replay(this.completion.kept().write(), other);
		assertThat(other.getStatus()).isEqualTo(201);
		assertThat(other.getHeader("Location")).isEqualTo("/1");
		assertThat(other.getHeader("Preference-Applied")).isEqualTo("return=minimal");
		assertThat(other.getContentType()).isNull();
		assertThat(other.getContentAsByteArray()).isEmpty();
	}

	@Test
	void answerToAnExceptionIsKeptOnlyIfItIsTheClientsErrorForGood() throws Exception {
		for (int status : new int[] { 400, 404, 422 }) {
			assertThat(answer(status, true)).as("%d", status).isInstanceOf(Recording.Stored.class);
		}
		for (int status : new int[] { 200, 302, 401, 409, 429, 500, 503 }) {
			assertThat(answer(status, true)).as("%d", status).isEqualTo(new Recording.Failed());
		}
		assertThat(answer(409, false)).isEqualTo(new Recording.Retryable());
		assertThat(answer(500, false)).isEqualTo(new Recording.Failed());
		this.completion.outcome = true;
		assertThat(answer(503, true)).isInstanceOf(Recording.Stored.class);
	}

	@Test
	void refusalOfAGuardIsNeverKept() throws Exception {
		capture();
		this.exchange.response().setStatus(423);
		this.exchange.failed(new GeRedisException("not acquired") {
		});
		this.exchange.end(false);
		assertThat(this.completion.answers).containsExactly(new Recording.Failed());
	}

	@Test
	void exceptionThatIsLeftToTheServerIsAFailure() throws Exception {
		capture();
		this.exchange.response().getOutputStream().write(bytes("abc"));
		this.exchange.end(true);
		assertThat(this.completion.answers).containsExactly(new Recording.Failed());
		assertThat(this.server.getContentAsByteArray()).isEmpty();
	}

	@Test
	void replayReplacesWhatIsWritten() throws Exception {
		byte[] record = new StoredResponse(
				new StoredResponse.Head(201,
						java.util.Map.of("Content-Type", List.of("image/png"), "Link", List.of("</a>", "</b>"))),
				new byte[] { 0, -1 })
			.write();
		expect();
		Object placeholder = this.exchange.replay(record);
		assertThat(placeholder).isInstanceOfSatisfying(ResponseEntity.class,
				(entity) -> assertThat(entity.getStatusCode().value()).isEqualTo(201));
		HttpServletResponse response = this.exchange.response();
		response.setHeader("X-Trace", "1");
		response.setHeader("Link", "</other>");
		response.setContentType("text/plain");
		response.setCharacterEncoding("UTF-8");
		response.setContentLength(99);
		response.getWriter().print("discarded");
		response.sendError(500);
		response.sendRedirect("/there");
		response.setStatus(500);
		this.exchange.end(false);
		assertThat(this.server.getStatus()).isEqualTo(201);
		assertThat(this.server.getContentAsByteArray()).containsExactly(0, -1);
		assertThat(this.server.getContentType()).isEqualTo("image/png");
		assertThat(this.server.getContentLength()).isEqualTo(2);
		assertThat(this.server.getHeaders("Link")).containsExactly("</a>", "</b>");
		assertThat(this.server.getHeader("X-Trace")).isEqualTo("1");
	}

	@Test
	void handlerOnAnotherThreadOrAfterItsRequestIsNotAwaited() throws Exception {
		expect();
		assertThat(this.exchange.isOf(handler())).isTrue();
		assertThat(CompletableFuture.supplyAsync(() -> this.exchange.isOf(handler())).get(10, TimeUnit.SECONDS))
			.isFalse();
		this.exchange.end(false);
		assertThat(this.exchange.isOf(handler())).isFalse();
	}

	@Test
	void laterHandlerIsFoundOnAnyThreadUntilItsRequestIsOver() throws Exception {
		this.exchange.expect(guarded(true));
		assertThat(this.exchange.isAwaitedHere()).isTrue();
		assertThat(elsewhere(() -> this.exchange.isOf(handler()))).isTrue();
		assertThat(elsewhere(() -> this.exchange.isAwaitedHere())).isFalse();
		this.request.setAsyncSupported(true);
		startLater();
		assertThat(this.exchange.isAwaitedHere()).isFalse();
		this.exchange.end(false);
		assertThat(this.exchange.isOf(handler())).isTrue();
		this.exchange.resume();
		this.exchange.end(false);
		assertThat(this.exchange.isOf(handler())).isFalse();
	}

	@Test
	void laterResponseIsHeldBackUntilTheDispatchThatMakesIt() throws Exception {
		AsyncContext later = captureLater();
		this.exchange.response().getOutputStream().write(bytes("ab"));
		this.exchange.end(false);
		assertThat(this.completion.answers).isEmpty();
		assertThat(ServletExchange.of(this.request)).isSameAs(this.exchange);
		this.request.setDispatcherType(DispatcherType.ASYNC);
		filter(new MockEnvironment()).doFilter(this.request, this.exchange.response(),
				(request, response) -> response.getOutputStream().write('c'));
		assertThat(this.completion.kept().body()).isEqualTo(bytes("abc"));
		assertThat(this.server.getContentAsString()).isEqualTo("abc");
		later.complete();
		assertThat(this.completion.answers).hasSize(1);
		assertThat(this.completion.unanswered).isZero();
	}

	@Test
	void callEndsWithItsRequestIfThatIsNotDispatchedOnceMore() throws Exception {
		AsyncContext later = captureLater();
		this.exchange.end(false);
		assertThat(this.completion.unanswered).isZero();
		later.complete();
		assertThat(this.completion.unanswered).isEqualTo(1);
		assertThat(this.completion.answers).isEmpty();
		assertThat(this.exchange.isOver()).isTrue();
	}

	@Test
	void callEndsWithItsDispatchIfNothingComesLater() throws Exception {
		this.exchange.begin();
		this.exchange.expect(guarded(true));
		this.exchange.capture(this.completion);
		// Such as because of a filter that does not support it
		assertThatIllegalStateException().isThrownBy(this::startLater);
		this.exchange.end(false);
		assertThat(this.completion.answers).hasSize(1);
	}

	@Test
	void claimThatNobodyHasWaitedForIsNotAnswered() throws Exception {
		this.exchange.begin();
		this.exchange.expect(guarded(true));
		this.request.setAsyncSupported(true);
		startLater();
		this.exchange.end(false);
		this.exchange.resume();
		this.exchange.failed(new IllegalStateException("too late"));
		elsewhere(() -> {
			this.exchange.capture(this.completion);
			return null;
		});
		assertThat(this.completion.unanswered).isEqualTo(1);
		this.exchange.response().getOutputStream().write('x');
		this.exchange.end(false);
		assertThat(this.server.getContentAsString()).isEqualTo("x");
		Ends another = new Ends();
		elsewhere(() -> {
			this.exchange.capture(another);
			return null;
		});
		assertThat(another.unanswered).isEqualTo(1);
		assertThat(this.completion.answers).isEmpty();
	}

	@Test
	void laterResponseInPiecesIsPassedOn() throws Exception {
		this.exchange.begin();
		this.exchange.expect(guarded(true));
		this.exchange.capture(this.completion);
		this.request.setAsyncSupported(true);
		ShallowEtagHeaderFilter.disableContentCaching(this.exchange.request());
		startLater();
		this.exchange.response().getOutputStream().write('a');
		assertThat(this.server.getContentAsString()).isEqualTo("a");
		this.exchange.end(false);
		assertThat(this.completion.answers).isEmpty();
		this.exchange.resume();
		this.exchange.end(false);
		assertThat(this.completion.answers).containsExactly(new Recording.Lost());
	}

	private AsyncContext captureLater() {
		this.exchange.begin();
		this.exchange.expect(guarded(true));
		this.exchange.capture(this.completion);
		this.request.setAsyncSupported(true);
		return startLater();
	}

	private AsyncContext startLater() {
		return this.exchange.request().startAsync(this.exchange.request(), this.exchange.response());
	}

	private static <T> T elsewhere(Callable<T> task) throws Exception {
		FutureTask<T> run = new FutureTask<>(task);
		new Thread(run).start();
		return run.get(10, TimeUnit.SECONDS);
	}

	@Test
	void callEndsAlthoughItsResponseCannotBeKept() {
		capture();
		this.completion.onEnd = () -> {
			throw new IllegalStateException("cannot be kept");
		};
		assertThatIllegalStateException().isThrownBy(() -> this.exchange.end(false));
		assertThat(this.completion.unanswered).isEqualTo(1);
	}

	@Test
	void bodyIsHashedWhileItIsReadAndWhatIsLeftIsKept() throws Exception {
		this.request.setContextPath("/shop");
		this.request.setContent(bytes("0123456789"));
		expect();
		assertThat(this.exchange.request().getInputStream().readNBytes(6)).asString().isEqualTo("012345");
		List<@Nullable Object> content = this.exchange.content();
		assertThat(content).isNotNull().startsWith("POST", "/sales/1");
		assertThat(this.exchange.request().getInputStream().readAllBytes()).asString().isEqualTo("6789");
		this.request.setContent(bytes("0123456789"));
		this.exchange = exchange(OversizedResponse.LOST);
		expect();
		this.exchange.request().getReader().read(new char[10]);
		assertThat(this.exchange.content()).usingRecursiveComparison().isEqualTo(content);
	}

	@Test
	void bodyThatWasTooLargeOnceStaysSo() throws Exception {
		this.request.setContent(bytes("0123456789"));
		expect();
		for (int attempt = 0; attempt < 3; attempt++) {
			assertThatExceptionOfType(ExchangeRules.UnreadBodyTooLargeException.class)
				.isThrownBy(this.exchange::content);
		}
		assertThatExceptionOfType(ExchangeRules.UnreadBodyTooLargeException.class)
			.isThrownBy(this.exchange.request().getInputStream()::readAllBytes);
	}

	@Test
	void headerThatMustNotBeReplayedFailsTheStart() {
		MockEnvironment environment = new MockEnvironment().withProperty("ge.redis.idempotency.replayed-headers",
				"Set-Cookie");
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> filter(environment))
			.withMessageContaining("Set-Cookie");
	}

	@Test
	void bodyThatIsReadBeforeTheHandlerIsKnownIsHashedIfThereIsAKey() throws Exception {
		IdempotentDispatch.Around filter = filter(new MockEnvironment());
		this.request.addHeader("Idempotency-Key", "k");
		this.request.setContent(bytes("012"));
		filter.doFilter(this.request, this.server, (request, response) -> {
			request.getInputStream().readAllBytes();
			ServletExchange exchange = ServletExchange.of(request);
			assertThat(exchange).isNotNull();
			exchange.expect(guarded(false));
			assertThat(exchange.content()).isNotNull();
		});
	}

	@Test
	void bodyThatWasReadBeforeIsNotKnown() throws Exception {
		this.request.setContent(bytes("012"));
		this.exchange.request().getInputStream().read();
		expect();
		assertThat(this.exchange.content()).isNull();
	}

	private static IdempotentDispatch.Around filter(MockEnvironment environment) {
		return new IdempotentDispatch.Around(
				Binder.get(environment).bindOrCreate("ge.redis.idempotency", IdempotencyProperties.class));
	}

	private Recording answer(int status, boolean failed) throws IOException {
		this.exchange = exchange(OversizedResponse.LOST);
		this.completion.answers.clear();
		capture();
		this.exchange.response().setStatus(status);
		if (failed) {
			this.exchange.failed(new IllegalStateException());
		}
		this.exchange.end(false);
		return this.completion.answers.get(0);
	}

	private void replay(byte[] record, MockHttpServletResponse response) throws IOException {
		ServletExchange replaying = new ServletExchange(this.request, response, RULES);
		replaying.expect(guarded(false));
		replaying.replay(record);
		replaying.end(false);
	}

	private void capture() {
		expect();
		this.exchange.capture(this.completion);
	}

	private void expect() {
		this.exchange.expect(guarded(false));
	}

	private static IdempotencyKeyHeader.GuardedHandler guarded(boolean later) {
		return new IdempotencyKeyHeader.GuardedHandler(handler(), ResponseEntity.class, later, false, true);
	}

	private static Method handler() {
		try {
			return ServletExchangeTests.class.getDeclaredMethod("entity");
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static ResponseEntity<String> entity() {
		return ResponseEntity.ok("");
	}

	@RestController
	static class Sales {

		@PostMapping
		@Idempotent
		String byHeader() {
			return "";
		}

		@PostMapping
		@Idempotent(key = "'k'")
		String ownKey() {
			return "";
		}

		@PostMapping
		@Idempotent
		String tree(@RequestBody Tree tree) {
			return "";
		}

		@PostMapping
		@Idempotent
		String parts(@RequestPart List<List<List<MultipartFile>>> parts) {
			return "";
		}

	}

	/** A collection of its own type. */
	static class Tree extends ArrayList<Tree> {

	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

	private static final class Ends implements IdempotentExchange.Completion {

		final List<Recording> answers = new ArrayList<>();

		boolean outcome;

		boolean running;

		int unanswered;

		Runnable onEnd = () -> {
		};

		StoredResponse kept() {
			assertThat(this.answers).first().isInstanceOf(Recording.Stored.class);
			return StoredResponse.read(((Recording.Stored) this.answers.get(0)).bytes(),
					ExchangeRules.keptHeaders(List.of()));
		}

		@Override
		public @Nullable Throwable failure() {
			return null;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public boolean isFinal() {
			return this.outcome;
		}

		@Override
		public CompletionStage<Boolean> answered(Recording response, boolean failed) {
			this.answers.add(response);
			this.onEnd.run();
			this.onEnd = () -> {
			};
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public CompletionStage<Boolean> unanswered() {
			this.unanswered++;
			return CompletableFuture.completedFuture(true);
		}

	}

}
