// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.web.RefusalCustomizer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponse;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.handler.ExceptionHandlingWebHandler;

/**
 * Writes refusals on WebFlux as {@link ProblemResolver} does on servlets.
 */
public class ReactiveProblemResolver {

	private final List<RefusalCustomizer> customizers;

	private final List<ErrorResponse.Interceptor> interceptors;

	private final List<ReactiveProblemFields> fields;

	private final JsonMapper json;

	private final Supplier<List<WebExceptionHandler>> pages;

	private final ApplicationHandlers handlers;

	private final Supplier<RequestMappingHandlerAdapter> advice;

	private final Supplier<List<HandlerResultHandler>> results;

	/**
	 * Creates a resolver.
	 * @param pages write error pages
	 */
	public ReactiveProblemResolver(List<RefusalCustomizer> customizers, List<ErrorResponse.Interceptor> interceptors,
			List<ReactiveProblemFields> fields, JsonMapper json, Supplier<List<WebExceptionHandler>> pages,
			ApplicationContext context) {
		this.customizers = customizers;
		this.interceptors = interceptors;
		this.fields = fields;
		this.json = json;
		this.pages = SingletonSupplier.of(pages);
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
				? write(refusal, exchange) : null;
	}

	/**
	 * Answers a refusal in a filter: by the application's own advice, else as a problem.
	 */
	public Mono<Void> answer(GeRedisException refusal, ServerWebExchange exchange) {
		Mono<Void> problem = Mono.defer(() -> {
			Mono<Void> answer = write(refusal, exchange);
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

	/**
	 * Writes the problem, {@code null} if the response is under way or the exception is
	 * no refusal. A challenge that was set before is kept. A client that prefers a page
	 * gets the error page of the application.
	 */
	public @Nullable Mono<Void> write(GeRedisException exception, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		Problem problem = response.isCommitted() ? null : Problem.of(exception, this.customizers, this.interceptors,
				exchange.getRequest().getURI().getRawPath());
		if (problem == null) {
			return null;
		}
		response.setStatusCode(HttpStatusCode.valueOf(problem.detail().getStatus()));
		HttpHeaders headers = response.getHeaders();
		headers.clearContentHeaders();
		this.fields.forEach((more) -> more.add(exception, exchange));
		problem.headers().forEach((name, values) -> {
			if (!name.equalsIgnoreCase(HttpHeaders.WWW_AUTHENTICATE) || !headers.containsHeader(name)) {
				headers.put(name, values);
			}
		});
		Mono<Void> written = Mono.defer(() -> write(problem, response));
		return Problem.isPageWanted(exchange.getRequest().getHeaders().getOrEmpty(HttpHeaders.ACCEPT))
				? page(problem, exception, exchange).onErrorResume((failure) -> written) : written;
	}

	// Like for an exception of the application, but without its exception handlers
	private Mono<Void> page(Problem problem, GeRedisException exception, ServerWebExchange exchange) {
		ResponseStatusException failure = new ResponseStatusException(
				HttpStatusCode.valueOf(problem.detail().getStatus()), problem.detail().getTitle(), exception);
		return new ExceptionHandlingWebHandler((same) -> Mono.error(failure), this.pages.get()).handle(exchange);
	}

	private Mono<Void> write(Problem problem, ServerHttpResponse response) {
		byte[] body = this.json.writeValueAsBytes(problem.members());
		response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
		response.getHeaders().setContentLength(body.length);
		return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
	}

}
