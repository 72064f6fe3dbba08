// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.reactive;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.idempotency.spi.IdempotentExchange;
import io.ge.redis.idempotency.spi.Recording;
import io.ge.redis.web.exchange.ExchangeAnswer;
import io.ge.redis.web.exchange.ExchangeRules;
import io.ge.redis.web.exchange.IdempotencyKeyHeader;
import io.ge.redis.web.exchange.KeptHeaders;
import io.ge.redis.web.exchange.StoredResponse;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;

/**
 * The counterpart of a servlet's exchange on WebFlux. Behind all filters, the response is
 * held back until Redis has it, or replaced by the one that was kept. In front of them,
 * the body of the request is hashed, and the answers to exceptions that leave the filters
 * are held back.
 * <p>
 * If the client disconnects, a call that has claimed its key runs to its end and its
 * response is kept. Only a response that is sent in pieces is cancelled with its client,
 * since it may have no end.
 */
final class ReactiveExchange implements IdempotentExchange {

	private static final String KEY = ReactiveExchange.class.getName();

	private static final String DISPATCH = KEY + ".dispatch";

	private final ExchangeRules rules;

	private final ReactiveExchangeRequest request;

	private final ReactiveContent content;

	private final ReactiveExchangeResponse outer;

	private final ExchangeAnswer answer;

	private final KeptHeaders kept;

	private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);

	private volatile @Nullable ServerWebExchange exchange;

	private volatile @Nullable ReactiveExchangeResponse inner;

	private volatile @Nullable Method handler;

	private volatile boolean bodyCompared;

	private volatile Map<String, List<String>> before = Map.of();

	private volatile @Nullable Call call;

	private volatile boolean abandoned;

	private volatile CompletionStage<?> ready = CompletableFuture.completedFuture(null);

	private volatile @Nullable StoredResponse replayed;

	ReactiveExchange(ServerHttpRequest request, ServerHttpResponse response, ExchangeRules rules) {
		this.rules = rules;
		this.request = new ReactiveExchangeRequest(request, rules.maxUnreadBytes());
		this.content = new ReactiveContent(this.request);
		this.outer = hold(response);
		this.answer = new ExchangeAnswer(rules.oversized());
		this.kept = new KeptHeaders(rules.response().headers());
	}

	private ReactiveExchangeResponse hold(ServerHttpResponse response) {
		return ReactiveExchangeResponse.of(response, this.rules.maxBytes(), new ReactiveExchangeResponse.Listener() {

			@Override
			public Mono<Void> oversized(ReactiveExchangeResponse oversized) {
				if (oversized.isUnawaited()) {
					return unanswered(oversized);
				}
				ReactiveExchange.this.answer.oversized();
				return answer();
			}

			@Override
			public void late() {
				ReactiveExchange.this.answer.late();
			}

		});
	}

	static @Nullable ReactiveExchange of(ContextView context) {
		return context.getOrDefault(KEY, null);
	}

	ReactiveExchangeRequest request() {
		return this.request;
	}

	ReactiveExchangeResponse response() {
		return this.outer;
	}

	Mono<Void> answerWith(Mono<Void> work) {
		Mono<Void> whole = work.then(Mono.defer(this::end))
			.onErrorResume((failure) -> end(failure).then(Mono.error(failure)))
			.contextWrite((context) -> context.put(KEY, this));
		return Outliving.of(whole, () -> {
			boolean goesOn = outlivesSubscriber();
			if (goesOn) {
				this.outer.detach();
			}
			return goesOn;
		}, this::cancelled);
	}

	Mono<Void> dispatch(ServerWebExchange decorated, ReactiveExchangeResponse response, Mono<Void> dispatch) {
		Mono<Void> known = dispatch.contextWrite((context) -> context.put(DISPATCH, response));
		Call last = this.call;
		if (last != null && last.completion().isRunning()) {
			// Whoever has not waited for that call tries something else, whose answer is
			// not that of the call
			return known;
		}
		this.stage.compareAndSet(Stage.LEFT, Stage.OPEN);
		this.abandoned = false;
		this.exchange = decorated;
		this.inner = response;
		Mono<Void> whole = known.then(Mono.defer(() -> endDispatch(response)))
			.onErrorResume((failure) -> leave(failure, response).then(Mono.error(failure)));
		return Outliving.of(whole, () -> {
			response.leave();
			return outlivesSubscriber();
		}, this::abandoned);
	}

	@Nullable ServerWebExchange exchange() {
		return this.exchange;
	}

	/**
	 * Returns whether a subscriber is part of the dispatch that is seen: not of one that
	 * was begun while a call of another one still ran.
	 */
	boolean isSeen(ContextView context) {
		ReactiveExchangeResponse response = this.inner;
		return response != null && context.getOrDefault(DISPATCH, null) == response;
	}

	ReactiveExchangeResponse behind(ServerHttpResponse response) {
		return hold(response);
	}

	void expect(Method guarded, boolean compared) {
		ReactiveExchangeResponse response = this.inner;
		if (response != null) {
			this.handler = guarded;
			this.bodyCompared = compared;
			this.request.watch();
			this.request.keep();
			response.watch();
			// Such as the type of the content, which is set before the handler runs
			this.kept.begin(response::values);
			this.before = this.kept.present(response::values);
		}
	}

	/**
	 * Returns whether a method is the handler, with its response still to be made.
	 */
	boolean isOf(Method method) {
		return method.equals(this.handler) && this.stage.get() != Stage.OVER;
	}

	Mono<Void> readContent() {
		ServerWebExchange current = this.exchange;
		return (this.bodyCompared && current != null) ? this.content.read(current) : Mono.empty();
	}

	@Nullable List<@Nullable Object> content() {
		return this.content.whole(asked());
	}

	List<@Nullable Object> contentWithoutBody() {
		return this.content.withoutBody(asked());
	}

	private ServerHttpRequest asked() {
		ServerWebExchange current = this.exchange;
		return (current != null) ? current.getRequest() : this.request;
	}

	/**
	 * Returns this for a new call of the handler, {@code null} if the handler is called
	 * within itself. A call without an answer of its own is over when somebody tries
	 * again.
	 */
	@Nullable ReactiveExchange forNextCall() {
		Call last = this.call;
		if (last != null && last.completion().isRunning()) {
			return null;
		}
		if (last != null) {
			this.call = null;
			this.ready = last.completion().unanswered();
		}
		return this;
	}

	@Override
	public CompletionStage<?> ready() {
		return this.ready;
	}

	@Override
	public void capture(Completion open) {
		ReactiveExchangeResponse response = this.inner;
		this.call = new Call(open, response);
		this.answer.begin();
		this.stage.compareAndSet(Stage.OPEN, Stage.CLAIMED);
		// What it held back was for the answer to an earlier attempt
		this.outer.pass();
		if (response != null) {
			response.capture();
		}
		if (this.abandoned || this.stage.get() == Stage.LEFT) {
			open.unanswered();
		}
	}

	@Override
	public @Nullable Object replay(byte[] bytes) {
		this.replayed = StoredResponse.read(bytes, this.rules.response().headers());
		ReactiveExchangeResponse response = this.inner;
		if (response != null) {
			response.discard();
		}
		return null;
	}

	boolean isReplayed() {
		return this.replayed != null;
	}

	void replaying() {
		this.outer.getHeaders().set(IdempotencyKeyHeader.REPLAYED, "true");
	}

	/**
	 * The dispatch answers an exception. After a replay, something has refused the
	 * request behind the guard, so it is not answered with what was kept.
	 */
	void failed(Throwable exception) {
		this.answer.failed(exception);
		ReactiveExchangeResponse response = this.inner;
		if (response != null) {
			response.forget();
		}
		if (this.replayed != null) {
			this.replayed = null;
			this.outer.getHeaders().remove(IdempotencyKeyHeader.REPLAYED);
		}
	}

	void failed() {
		Call open = this.call;
		Throwable failure = (open != null) ? open.completion().failure() : null;
		failed((failure != null) ? failure : new IllegalStateException());
	}

	private Mono<Void> endDispatch(ReactiveExchangeResponse response) {
		if (response.isUnawaited()) {
			return unanswered(response);
		}
		StoredResponse stored = this.replayed;
		if (stored != null) {
			this.replayed = null;
			restoreHeaders(response);
			return response.send(stored);
		}
		return answer().then(response.release());
	}

	// What describes a body that is not sent
	private void restoreHeaders(ReactiveExchangeResponse response) {
		if (!response.isCommitted()) {
			this.rules.response().headers().forEach(response.getHeaders()::remove);
			response.getHeaders().remove(HttpHeaders.CONTENT_LENGTH);
			this.before.forEach(response.getHeaders()::put);
			replaying();
		}
	}

	/**
	 * The response to the exception, written in front of the dispatch or of all filters,
	 * answers the call.
	 */
	private Mono<Void> leave(Throwable failure, ReactiveExchangeResponse response) {
		if (response.isUnawaited() || this.stage.get() == Stage.OVER) {
			// There is nobody any more who could
			return unanswered(response);
		}
		failed(failure);
		if (this.call != null) {
			this.outer.capture();
		}
		return Mono.empty();
	}

	private Mono<Void> unanswered(ReactiveExchangeResponse response) {
		Call last = this.call;
		return (last != null && last.response() == response) ? completed(last.completion().unanswered()) : Mono.empty();
	}

	private Mono<Void> end() {
		over();
		return this.outer.isCapturing() ? answer().then(this.outer.release()) : Mono.empty();
	}

	private Mono<Void> end(Throwable failure) {
		Call open = this.call;
		over();
		return (open != null) ? completed(open.completion().answered(new Recording.Failed(), true)) : Mono.empty();
	}

	private void over() {
		this.stage.set(Stage.OVER);
	}

	private Mono<Void> answer() {
		return Mono.defer(() -> {
			Call last = this.call;
			if (last == null) {
				return Mono.empty();
			}
			Completion open = last.completion();
			ReactiveExchangeResponse own = last.response();
			if (own != null && own.isUnawaited()) {
				return completed(open.unanswered());
			}
			ReactiveExchangeResponse response = (own == null || this.outer.isCapturing()) ? this.outer : own;
			try {
				return completed(open.answered(recording(open, response), this.answer.isFailed()));
			}
			catch (RuntimeException | Error ex) {
				// Else the claim would be prolonged for ever
				return completed(open.unanswered()).then(Mono.error(ex));
			}
		});
	}

	private Recording recording(Completion open, ReactiveExchangeResponse response) {
		return this.answer.recording(open, response.status(), () -> response.captured(this.kept.of(response::values)),
				() -> response.withoutBody(this.kept.withoutBody(response::values)));
	}

	// Never on a thread of the driver
	private static Mono<Void> completed(CompletionStage<Boolean> ending) {
		CompletableFuture<Boolean> future = ending.toCompletableFuture();
		Mono<Void> ended = Mono.fromFuture(future, true).then();
		return future.isDone() ? ended : ended.publishOn(Schedulers.parallel());
	}

	private boolean outlivesSubscriber() {
		this.stage.compareAndSet(Stage.OPEN, Stage.LEFT);
		return this.stage.get() == Stage.CLAIMED && !this.answer.isLate();
	}

	private void cancelled() {
		abandoned();
		over();
	}

	/**
	 * The method has ended, or will, without an answer; also if it is claiming its key
	 * just now.
	 */
	private void abandoned() {
		this.abandoned = true;
		Call open = this.call;
		if (open != null) {
			open.completion().unanswered();
		}
	}

	private enum Stage {

		/** Its key is not claimed. */
		OPEN,

		/** It runs to its end, regardless of who waits for it. */
		CLAIMED,

		/** Nobody waits for it. */
		LEFT,

		/** It is answered. */
		OVER

	}

	private record Call(Completion completion, @Nullable ReactiveExchangeResponse response) {
	}

}
