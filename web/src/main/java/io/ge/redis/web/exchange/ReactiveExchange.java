// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpStatus;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;

/**
 * Dispatch of a request to a guarded handler on WebFlux. The response is held back until
 * Redis has it, or replaced by the stored one.
 * <p>
 * If the client disconnects, a call that has claimed its key runs to its end, and its
 * value is stored. Only a response that is sent in pieces is cancelled with its client,
 * since it may have no end.
 */
final class ReactiveExchange extends Exchange implements HandlerRequests.Current {

	private static final Log logger = LogFactory.getLog(ReactiveExchange.class);

	private static final String KEY = ReactiveExchange.class.getName();

	private final Method handler;

	private final boolean bodyCompared;

	private final ReactiveExchangeResponse response;

	private final ServerWebExchange exchange;

	private final ReactiveExchangeRequest request;

	private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.OPEN);

	ReactiveExchange(ServerWebExchange exchange, Method handler, boolean bodyCompared, ExchangeRules rules) {
		super(rules);
		this.handler = handler;
		this.bodyCompared = bodyCompared;
		this.response = new ReactiveExchangeResponse(exchange.getResponse(), rules.headers(), this::stream);
		this.request = new ReactiveExchangeRequest(exchange.getRequest(), rules.maxUnreadBytes());
		this.exchange = exchange.mutate().request(this.request).response(this.response).build();
	}

	static @Nullable ReactiveExchange of(ContextView context) {
		return context.getOrDefault(KEY, null);
	}

	/**
	 * Returns the exchange that the handler answers.
	 */
	ServerWebExchange exchange() {
		return this.exchange;
	}

	Mono<Void> answerWith(Mono<Void> dispatch) {
		Mono<Void> whole = dispatch.then(Mono.defer(this::end))
			.onErrorResume((failure) -> end(failure).then(Mono.error(failure)))
			.contextWrite((context) -> context.put(KEY, this));
		return Mono.create((subscriber) -> outlive(whole, subscriber));
	}

	private void outlive(Mono<Void> work, MonoSink<Void> subscriber) {
		Disposable.Swap running = Disposables.swap();
		subscriber.onCancel(() -> {
			this.response.detach();
			if (!this.stage.compareAndSet(Stage.OPEN, Stage.LEFT) && this.stage.get() == Stage.CLAIMED
					&& !isStreamed()) {
				return;
			}
			running.dispose();
			unanswered();
		});
		running.update(work.subscribe(null, (failure) -> {
			if (this.response.isDetached()) {
				logger.debug("The call of this failure was abandoned", failure);
			}
			else {
				subscriber.error(failure);
			}
		}, subscriber::success, Context.of(subscriber.contextView())));
	}

	/**
	 * Returns whether a method is the handler, with its response still to be made.
	 */
	boolean isOf(Method method) {
		return method.equals(this.handler) && this.stage.get() != Stage.OVER;
	}

	Mono<Void> readContent() {
		return this.bodyCompared ? this.request.read(this.exchange) : Mono.empty();
	}

	@Nullable List<@Nullable Object> content() {
		return this.request.content();
	}

	@Override
	public List<String> headers(String name) {
		return this.request.getHeaders().getOrEmpty(name);
	}

	@Override
	public @Nullable List<@Nullable Object> content(Method method) {
		return isOf(method) ? content() : null;
	}

	@Override
	public List<@Nullable Object> contentWithoutBody() {
		return this.request.contentWithoutBody();
	}

	@Override
	public @Nullable Exchange exchange(Method method) {
		return isOf(method) ? forNextCall() : null;
	}

	@Override
	public Runnable replaying() {
		return () -> this.response.getHeaders().set(IdempotencyKeyHeader.REPLAYED, "true");
	}

	@Override
	public void capture(Completion open) {
		begin(open);
		this.stage.compareAndSet(Stage.OPEN, Stage.CLAIMED);
		this.response.capture();
		if (this.stage.get() == Stage.LEFT) {
			open.unanswered();
		}
	}

	@Override
	public @Nullable Object replay(byte[] bytes) {
		replay(read(bytes));
		this.response.discard();
		return null;
	}

	/**
	 * The dispatch answers an exception. After a replay, advice behind the guard has
	 * refused the request, so the stored response is not sent.
	 */
	void failed(@Nullable Throwable exception) {
		Completion open = call();
		Throwable failure = (exception == null && open != null) ? open.failure() : exception;
		answersFailure((failure != null) ? failure : new IllegalStateException());
		this.response.forget();
		replay((StoredResponse) null);
	}

	private Mono<Void> end() {
		this.stage.set(Stage.OVER);
		StoredResponse stored = replayed();
		if (stored != null) {
			return this.response.send(stored);
		}
		return store().then(this.response.release());
	}

	/**
	 * The exception is answered in front of the handler, so a repetition gets its status
	 * and reason only.
	 */
	private Mono<Void> end(Throwable failure) {
		if (this.stage.getAndSet(Stage.OVER) == Stage.OVER) {
			return Mono.empty();
		}
		failed(failure);
		this.response.failed(error(failure));
		return store();
	}

	private static ResponseStatusException error(Throwable failure) {
		if (failure instanceof ResponseStatusException error) {
			return error;
		}
		ResponseStatus status = AnnotatedElementUtils.findMergedAnnotation(failure.getClass(), ResponseStatus.class);
		return (status != null)
				? new ResponseStatusException(status.code(),
						StringUtils.hasText(status.reason()) ? status.reason() : failure.getMessage())
				: new ResponseStatusException(HttpStatus.INTERNAL_SERVER_ERROR);
	}

	private Mono<Void> store() {
		return Mono.defer(() -> {
			Completion open = call();
			if (open == null) {
				return Mono.empty();
			}
			if (this.response.isDetached()) {
				return completed(open.unanswered());
			}
			try {
				return completed(answer(open, this.response));
			}
			catch (RuntimeException | Error ex) {
				// Else the claim would be prolonged for ever
				return completed(open.unanswered()).then(Mono.error(ex));
			}
		});
	}

	// Never on a thread of the driver
	private static Mono<Void> completed(CompletionStage<Boolean> ending) {
		CompletableFuture<Boolean> future = ending.toCompletableFuture();
		Mono<Void> ended = Mono.fromFuture(future, true).then();
		return future.isDone() ? ended : ended.publishOn(Schedulers.parallel());
	}

	private enum Stage {

		/** Its key is not claimed. */
		OPEN,

		/** It runs to its end, whether or not the client waits. */
		CLAIMED,

		/** It was cancelled before its key was claimed. */
		LEFT,

		/** It is answered. */
		OVER

	}

}
