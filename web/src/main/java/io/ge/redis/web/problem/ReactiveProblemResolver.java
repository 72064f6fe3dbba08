// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.context.ApplicationContext;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.ServerWebExchange;

/**
 * Answers refusals before the application's catch-all handlers are asked, and leaves them
 * to those that are for a type of ours: what {@link ProblemResolver} is for servlets.
 */
public class ReactiveProblemResolver {

	private final ReactiveProblemWriter writer;

	private final ApplicationHandlers handlers;

	private final Supplier<RequestMappingHandlerAdapter> advice;

	private final Supplier<List<HandlerResultHandler>> results;

	public ReactiveProblemResolver(ReactiveProblemWriter writer, ApplicationContext context) {
		this.writer = writer;
		this.handlers = new ApplicationHandlers(context);
		this.advice = SingletonSupplier.of(() -> context.getBean(RequestMappingHandlerAdapter.class));
		this.results = SingletonSupplier
			.of(() -> context.getBeanProvider(HandlerResultHandler.class).orderedStream().toList());
	}

	/**
	 * Returns whether the application has a handler for the type, or the refusal is no
	 * answer to a client.
	 */
	boolean isLeftToApplication(@Nullable Class<?> controller, GeRedisException refusal) {
		return this.handlers.handle(controller, refusal) || refusal.refusal() == null;
	}

	boolean isCaughtByApplication(Class<?> controller, Error error) {
		return this.handlers.handleErrors(controller, error);
	}

	/**
	 * Answers a refusal of a handler, {@code null} if it is left to others.
	 */
	public @Nullable Mono<Void> answer(@Nullable Class<?> controller, Throwable failure, ServerWebExchange exchange) {
		return (failure instanceof GeRedisException refusal && !isLeftToApplication(controller, refusal))
				? this.writer.write(refusal, exchange) : null;
	}

	/**
	 * Answers a refusal in a filter: by the application's own advice, else as a problem.
	 */
	public Mono<Void> answer(GeRedisException refusal, ServerWebExchange exchange) {
		Mono<Void> problem = Mono.defer(() -> {
			Mono<Void> answer = this.writer.write(refusal, exchange);
			return (answer != null) ? answer : Mono.error(refusal);
		});
		if (!isLeftToApplication(null, refusal)) {
			return problem;
		}
		return Mono.defer(() -> this.advice.get().handleError(exchange, refusal))
			.flatMap((result) -> handle(result, exchange))
			.onErrorResume((failure) -> problem);
	}

	private Mono<Void> handle(HandlerResult result, ServerWebExchange exchange) {
		for (HandlerResultHandler handler : this.results.get()) {
			if (handler.supports(result)) {
				return handler.handleResult(exchange, result);
			}
		}
		return Mono.error(new IllegalStateException("Nothing handles " + result.getReturnValue()));
	}

}
