// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.call.SubscriberScope;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.ServerWebExchange;

/**
 * Answers refusals before Spring's own adapter for controllers, so that a catch-all
 * {@code @ExceptionHandler(Exception.class)} does not turn a 429 into a 500. For plain
 * results and futures it also binds the context of the request to the thread. The caller
 * is looked up only if a guard asks: public handlers cost no session.
 */
class RefusalHandlerAdapter implements HandlerAdapter, DispatchExceptionHandler, Ordered {

	private final ReactiveProblemResolver problems;

	private final WatchedHandlers handlers = new WatchedHandlers();

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	private final Supplier<List<SubscriberScope>> scopes;

	RefusalHandlerAdapter(ReactiveProblemResolver problems, Supplier<RequestMappingHandlerAdapter> adapter,
			Supplier<List<SubscriberScope>> scopes) {
		this.problems = problems;
		this.adapter = adapter;
		this.scopes = SingletonSupplier.of(scopes);
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE + 100;
	}

	@Override
	public boolean supports(Object handler) {
		return handler instanceof HandlerMethod && this.adapter.get().supports(handler);
	}

	@Override
	public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
		HandlerMethod method = (HandlerMethod) handler;
		if (!this.handlers.isWatched(method)) {
			return call(exchange, method.getBeanType(), method);
		}
		return Mono.deferContextual((context) -> {
			Mono<UnaryOperator<Runnable>> scope = SubscriberScope.findLate(this.scopes.get(), context);
			return (scope != null) ? scope.flatMap((found) -> watch(exchange, method, found))
					: watch(exchange, method, UnaryOperator.identity());
		});
	}

	private Mono<HandlerResult> watch(ServerWebExchange exchange, HandlerMethod method, UnaryOperator<Runnable> scope) {
		Class<?> controller = method.getBeanType();
		// What comes first: the refusal, or the end of the call. Its result may fail
		// later.
		AtomicReference<@Nullable Object> first = new AtomicReference<>();
		HandlerMethod watched = this.handlers.watch(method, scope,
				(failure) -> failure instanceof GeRedisException refusal
						&& !this.problems.isLeftToApplication(controller, refusal)
						&& first.compareAndSet(null, refusal));
		return call(exchange, controller, watched).singleOptional()
			.flatMap((result) -> (first.compareAndExchange(null, result) instanceof GeRedisException refusal)
					? handle(controller, refusal, null, exchange) : Mono.justOrEmpty(result));
	}

	private Mono<HandlerResult> call(ServerWebExchange exchange, Class<?> controller, HandlerMethod called) {
		return this.adapter.get()
			.handle(exchange, called)
			.doOnNext((result) -> result.setExceptionHandler(before(controller, result.getExceptionHandler())));
	}

	// A result may fail while it is written
	private DispatchExceptionHandler before(Class<?> controller, @Nullable DispatchExceptionHandler next) {
		return (exchange, failure) -> handle(controller, failure, next, exchange);
	}

	@Override
	public Mono<HandlerResult> handleError(ServerWebExchange exchange, Throwable failure) {
		return handle(null, failure, null, exchange);
	}

	private Mono<HandlerResult> handle(@Nullable Class<?> controller, Throwable failure,
			@Nullable DispatchExceptionHandler next, ServerWebExchange exchange) {
		Mono<Void> answer = this.problems.answer(controller, failure, exchange);
		if (answer != null) {
			return answer.then(Mono.empty());
		}
		return (next != null) ? next.handleError(exchange, failure) : Mono.error(failure);
	}

}
