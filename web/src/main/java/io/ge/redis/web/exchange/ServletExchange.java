// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.outage.Waiting;
import io.ge.redis.idempotency.spi.Recording;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/**
 * A request and its response on servlets, seen from outside of the dispatch to the
 * handler.
 * <p>
 * Once a guarded handler is found, the body of the request is hashed while it is read.
 * The response to the first call with a key is held back until Redis has it. In a
 * repetition, the output of the dispatch is discarded and the first response is sent.
 * <p>
 * If the handler promises its result, other threads claim the key and run or complete the
 * call. The server then dispatches the request once more ({@link #resume}) to write the
 * response. An answer that is given meanwhile, after a timeout or a lost connection, is
 * not the handler's, whose result still decides. Without such a dispatch the exchange
 * ends with the request ({@link #completed}).
 */
final class ServletExchange extends Exchange {

	private static final String ATTRIBUTE = ServletExchange.class.getName();

	// Set by Spring before a response is written in pieces
	private static final String STREAMING = ShallowEtagHeaderFilter.class.getName() + ".STREAMING";

	private final ExchangeRequest request;

	private final HttpServletResponse server;

	/** Passes on to the server, or to what holds the response back. */
	private final HttpServletResponseWrapper response;

	private volatile @Nullable ExchangeResponse held;

	private volatile IdempotencyKeyHeader.@Nullable GuardedHandler handler;

	private volatile @Nullable Thread thread;

	private volatile boolean left;

	private volatile boolean resumed;

	private volatile boolean over;

	ServletExchange(HttpServletRequest request, HttpServletResponse response, ExchangeRules rules) {
		super(rules);
		this.request = new ExchangeRequest(request, this::asyncStarts, this::asyncStarted);
		this.server = response;
		this.response = new HttpServletResponseWrapper(response);
	}

	static @Nullable ServletExchange of(ServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof ServletExchange exchange) ? exchange : null;
	}

	void begin() {
		this.request.setAttribute(ATTRIBUTE, this);
	}

	ExchangeRequest request() {
		return this.request;
	}

	HttpServletResponse response() {
		return this.response;
	}

	void expect(IdempotencyKeyHeader.GuardedHandler handler) {
		this.handler = handler;
		this.thread = Thread.currentThread();
		this.request.watch();
		ExchangeResponse holding = new ExchangeResponse(this.server, rules().headers());
		this.held = holding;
		this.response.setResponse(holding);
	}

	/**
	 * Returns whether a method is the handler, with its response still to be made. A
	 * plain result on another thread is not: this one may be over at any moment.
	 */
	boolean isOf(Method method) {
		IdempotencyKeyHeader.GuardedHandler expected = this.handler;
		return expected != null && method.equals(expected.method()) && !this.over
				&& (expected.isLater() || isOfThisThread());
	}

	private boolean isOfThisThread() {
		return Thread.currentThread() == this.thread;
	}

	boolean isAnsweredLater() {
		IdempotencyKeyHeader.GuardedHandler expected = this.handler;
		return expected != null && expected.isLater();
	}

	boolean isOver() {
		return this.over;
	}

	/**
	 * Returns {@code true} on the thread that has received the request. Everything that
	 * handlers expect is bound to it, transactions included.
	 */
	@Override
	public boolean isAwaitedHere() {
		return isOfThisThread() && !this.left;
	}

	@Nullable List<@Nullable Object> content() {
		return this.request.content(rules().maxUnreadBytes());
	}

	@Override
	void awaitEnd(CompletionStage<Boolean> ending) {
		if (isAnsweredLater()) {
			super.awaitEnd(ending);
		}
		else {
			Waiting.await(ending);
		}
	}

	@Override
	public void capture(Completion completion) {
		// First, since the exchange may be over at any moment
		begin(completion);
		ExchangeResponse holding = this.held;
		if (isAnsweredByOthers()) {
			begin(null);
			completion.unanswered();
		}
		else if (holding != null) {
			holding.capture();
		}
	}

	// A claim from now on is too late
	private boolean isAnsweredByOthers() {
		return this.over || (this.resumed && !isOfThisThread());
	}

	@Override
	public @Nullable Object replay(byte[] bytes) {
		StoredResponse stored = read(bytes);
		ExchangeResponse holding = this.held;
		if (!isAnsweredByOthers() && holding != null) {
			replay(stored);
			holding.discard();
		}
		IdempotencyKeyHeader.GuardedHandler expected = this.handler;
		return (expected != null) ? placeholder(expected.result(), stored.head()) : null;
	}

	// The value that advice around the guard, and Spring, see instead of the result
	private static @Nullable Object placeholder(Class<?> type, StoredResponse.Head head) {
		if (HttpEntity.class.isAssignableFrom(type) && type.isAssignableFrom(ResponseEntity.class)) {
			HttpHeaders headers = new HttpHeaders();
			headers.putAll(head.headers());
			return ResponseEntity.status(head.status()).headers(headers).build();
		}
		if (!type.isPrimitive() || type == void.class) {
			return null;
		}
		return java.lang.reflect.Array.get(java.lang.reflect.Array.newInstance(type, 1), 0);
	}

	/**
	 * The dispatch answers an exception. After a replay, advice behind the guard has
	 * refused the request, so the stored response is not sent.
	 */
	void failed(Exception exception) {
		answersFailure(exception);
		ExchangeResponse holding = this.held;
		if (replayed() != null && holding != null) {
			replay((StoredResponse) null);
			holding.abandonReplay();
		}
	}

	/**
	 * Sends the held-back response: something else answers, and its output is not stored.
	 */
	void late() {
		ExchangeResponse holding = this.held;
		if (holding != null && !isStreamed()) {
			stream();
			this.response.setResponse(this.server);
			try {
				holding.release(false);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	void resume() {
		this.thread = Thread.currentThread();
		this.resumed = true;
		this.left = false;
	}

	void completed() {
		if (!this.over) {
			this.over = true;
			unanswered();
		}
	}

	/**
	 * Ends the dispatch, and nothing else if the response is made in another one.
	 */
	void end(boolean thrown) throws IOException {
		if (this.over || (this.left && !thrown)) {
			return;
		}
		this.over = true;
		// Afterwards, since another thread may claim the key just now
		Completion open = call();
		this.request.removeAttribute(ATTRIBUTE);
		if (thrown) {
			if (open != null) {
				Waiting.await(open.answered(new Recording.Failed(), true));
			}
			return;
		}
		ExchangeResponse holding = this.held;
		if (open != null && holding != null) {
			store(open, holding);
		}
		StoredResponse stored = replayed();
		if (holding != null && stored != null) {
			holding.send(stored);
		}
		else if (holding != null && !isStreamed()) {
			holding.release(true);
		}
	}

	private void store(Completion open, ExchangeResponse holding) {
		try {
			Waiting.await(answer(open, holding));
		}
		catch (RuntimeException | Error ex) {
			// Else the claim would be prolonged for ever
			Waiting.await(open.unanswered());
			throw ex;
		}
	}

	private void asyncStarts() {
		IdempotencyKeyHeader.GuardedHandler expected = this.handler;
		if (expected != null && !expected.isLater() && !isStreamed()) {
			throw new IllegalStateException(expected.method() + " is @Idempotent and must not start asynchronous "
					+ "processing itself. Return a CompletableFuture or a Mono instead.");
		}
		if (this.request.getAttribute(STREAMING) != null) {
			late();
		}
	}

	private void asyncStarted(AsyncContext context) {
		if (isAnsweredLater()) {
			this.left = true;
			context.addListener(new Completed());
		}
	}

	private final class Completed implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
			completed();
		}

		// The handler's result is notified too, and has the request dispatched or
		// completed
		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onError(AsyncEvent event) {
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

	}

}
