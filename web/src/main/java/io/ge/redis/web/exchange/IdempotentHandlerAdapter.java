// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.server.ServerWebExchange;

/**
 * Calls guarded handlers and writes their results, so that the response is stored before
 * it is sent, or replaced by a stored one.
 */
class IdempotentHandlerAdapter implements HandlerAdapter, Ordered {

	private final IdempotencyKeyHeader handlers;

	private final ExchangeRules rules;

	private final Supplier<List<HandlerAdapter>> adapters;

	private final Supplier<List<HandlerResultHandler>> results;

	IdempotentHandlerAdapter(IdempotencyKeyHeader handlers, ExchangeRules rules,
			ObjectProvider<HandlerAdapter> adapters, ObjectProvider<HandlerResultHandler> results) {
		this.handlers = handlers;
		this.rules = rules;
		this.adapters = SingletonSupplier
			.of(() -> adapters.orderedStream().filter((adapter) -> adapter != this).toList());
		this.results = SingletonSupplier.of(() -> results.orderedStream().toList());
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public boolean supports(Object handler) {
		return handler instanceof HandlerMethod method && this.handlers.isGuarded(method.getMethod());
	}

	@Override
	public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
		HandlerMethod guarded = (HandlerMethod) handler;
		IdempotencyKeyHeader.GuardedHandler keyed = this.handlers.find(guarded.getMethod(),
				exchange.getRequest().getHeaders()::containsHeader);
		if (keyed == null) {
			return next(handler).handle(exchange, handler);
		}
		return Mono.defer(() -> {
			ReactiveExchange idempotent = new ReactiveExchange(exchange, guarded.getMethod(), keyed.isBodyCompared(),
					this.rules);
			Mono<Void> dispatch = Mono.defer(() -> next(handler).handle(idempotent.exchange(), handler))
				.flatMap((result) -> answer(result, guarded, idempotent));
			return idempotent.answerWith(dispatch).then(Mono.empty());
		});
	}

	private HandlerAdapter next(Object handler) {
		return this.adapters.get()
			.stream()
			.filter((adapter) -> adapter.supports(handler))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No HandlerAdapter: " + handler));
	}

	private Mono<Void> answer(HandlerResult result, HandlerMethod guarded, ReactiveExchange exchange) {
		if (!(result.getHandler() instanceof HandlerMethod answering)
				|| !answering.getMethod().equals(guarded.getMethod())) {
			// The handler has answered itself, and this answers its exception
			exchange.failed(null);
			return write(result, exchange.exchange());
		}
		HandlerResult watched = new HandlerResult(result.getHandler(), untilReplayed(result.getReturnValue(), exchange),
				result.getReturnTypeSource(), result.getBindingContext());
		DispatchExceptionHandler exceptions = result.getExceptionHandler();
		return write(watched, exchange.exchange()).onErrorResume((failure) -> {
			if (failure instanceof Replayed) {
				return Mono.empty();
			}
			exchange.failed(failure);
			return (exceptions != null) ? exceptions.handleError(exchange.exchange(), failure)
				.flatMap((handled) -> write(handled, exchange.exchange())) : Mono.error(failure);
		});
	}

	private Mono<Void> write(HandlerResult result, ServerWebExchange exchange) {
		for (HandlerResultHandler handler : this.results.get()) {
			if (handler.supports(result)) {
				return handler.handleResult(exchange, result);
			}
		}
		return Mono.error(new IllegalStateException("No HandlerResultHandler for " + result.getReturnValue()));
	}

	private static @Nullable Object untilReplayed(@Nullable Object value, ReactiveExchange exchange) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value);
		if (adapter == null) {
			return value;
		}
		Mono<Object> end = Mono
			.defer(() -> (exchange.replayed() != null) ? Mono.error(Replayed.INSTANCE) : Mono.empty());
		Publisher<Object> result = adapter.toPublisher(value);
		return adapter.fromPublisher(
				adapter.isMultiValue() ? Flux.from(result).concatWith(end) : Mono.from(result).switchIfEmpty(end));
	}

	private static final class Replayed extends RuntimeException {

		static final Replayed INSTANCE = new Replayed();

		private Replayed() {
			super("The response is replayed", null, false, false);
		}

	}

}
