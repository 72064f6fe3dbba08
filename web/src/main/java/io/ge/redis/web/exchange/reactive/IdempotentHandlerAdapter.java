// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.reactive;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.web.exchange.IdempotencyKeyHeader;
import io.ge.redis.web.exchange.servlet.IdempotentDispatch;
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
import org.springframework.web.server.ServerWebExchange;

/**
 * Notifies an exchange that its handler is guarded, and that the response answers an
 * exception; renders nothing where a response is replayed. The counterpart of
 * {@link IdempotentDispatch}.
 */
public class IdempotentHandlerAdapter implements HandlerAdapter, Ordered {

	private final IdempotencyKeyHeader handlers;

	private final Supplier<List<HandlerAdapter>> adapters;

	public IdempotentHandlerAdapter(IdempotencyKeyHeader handlers, ObjectProvider<HandlerAdapter> adapters) {
		this.handlers = handlers;
		this.adapters = SingletonSupplier
			.of(() -> adapters.orderedStream().filter((adapter) -> adapter != this).toList());
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
		return Mono.deferContextual((context) -> {
			ReactiveExchange idempotent = ReactiveExchange.of(context);
			Mono<HandlerResult> called = next(handler).handle(exchange, handler);
			if (idempotent == null || !idempotent.isSeen(context)) {
				return called;
			}
			idempotent.expect(guarded.getMethod(),
					this.handlers.isBodyCompared(guarded.getMethod(), exchange.getRequest().getHeaders()));
			return called.map((result) -> watch(result, guarded, idempotent));
		});
	}

	private HandlerAdapter next(Object handler) {
		return this.adapters.get()
			.stream()
			.filter((adapter) -> adapter.supports(handler))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No HandlerAdapter: " + handler));
	}

	private static HandlerResult watch(HandlerResult result, HandlerMethod guarded, ReactiveExchange exchange) {
		if (!(result.getHandler() instanceof HandlerMethod answering)
				|| !answering.getMethod().equals(guarded.getMethod())) {
			// The handler has answered itself, and this answers what it has failed with
			exchange.failed();
			return result;
		}
		HandlerResult watched = new HandlerResult(result.getHandler(), untilReplayed(result.getReturnValue(), exchange),
				result.getReturnTypeSource(), result.getBindingContext());
		DispatchExceptionHandler exceptions = result.getExceptionHandler();
		return watched.setExceptionHandler((current, failure) -> {
			if (failure instanceof Replayed) {
				return Mono.empty();
			}
			exchange.failed(failure);
			return (exceptions != null) ? exceptions.handleError(current, failure) : Mono.error(failure);
		});
	}

	private static @Nullable Object untilReplayed(@Nullable Object value, ReactiveExchange exchange) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(null, value);
		if (adapter == null) {
			return value;
		}
		Mono<Object> end = Mono.defer(() -> exchange.isReplayed() ? Mono.error(Replayed.INSTANCE) : Mono.empty());
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
