// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.call.SubscriberScope;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.server.handler.ExceptionHandlingWebHandler;
import org.springframework.web.server.handler.ResponseStatusExceptionHandler;

/**
 * Writes refusals on WebFlux as {@link ProblemResolver} does on servlets.
 */
public class ReactiveProblemResolver {

	private final Problems problems;

	private final Supplier<List<Fields>> fields;

	private final Supplier<List<WebExceptionHandler>> pages;

	private final Supplier<RequestMappingHandlerAdapter> advice;

	private final Supplier<List<HandlerResultHandler>> results;

	public ReactiveProblemResolver(ApplicationContext context) {
		this.problems = new Problems(context);
		this.fields = Problems.all(context, Fields.class);
		this.pages = Problems.all(context, WebExceptionHandler.class);
		this.advice = SingletonSupplier.of(() -> context.getBean(RequestMappingHandlerAdapter.class));
		this.results = Problems.all(context, HandlerResultHandler.class);
	}

	/**
	 * Returns the filter that answers refusals that no handler of the application has
	 * taken.
	 */
	public WebFilter filter(int order) {
		return new RefusalWebFilter(this, order);
	}

	/**
	 * Returns the adapter that answers refusals of handlers.
	 */
	public HandlerAdapter adapter(Supplier<List<SubscriberScope>> scopes) {
		return new RefusalHandlerAdapter(this, this.advice, scopes);
	}

	/**
	 * Returns whether the application has a handler for the type, or the refusal is no
	 * answer to a client.
	 */
	boolean isLeftToApplication(@Nullable Class<?> controller, GeRedisException refusal) {
		return this.problems.areHandled(controller, refusal) || refusal.refusal() == null;
	}

	/**
	 * Answers a refusal of a handler, {@code null} if it is left to others.
	 */
	@Nullable Mono<Void> answer(@Nullable Class<?> controller, Throwable failure, ServerWebExchange exchange) {
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
	@Nullable Mono<Void> write(GeRedisException exception, ServerWebExchange exchange) {
		ServerHttpResponse response = exchange.getResponse();
		Problems.Problem problem = response.isCommitted() ? null
				: this.problems.of(exception, exchange.getRequest().getURI().getRawPath());
		if (problem == null) {
			return null;
		}
		response.setStatusCode(HttpStatusCode.valueOf(problem.detail().getStatus()));
		HttpHeaders headers = response.getHeaders();
		headers.clearContentHeaders();
		this.fields.get().forEach((more) -> more.add(exception, exchange));
		problem.headers().forEach((name, values) -> {
			if (!name.equalsIgnoreCase(HttpHeaders.WWW_AUTHENTICATE) || !headers.containsHeader(name)) {
				headers.put(name, values);
			}
		});
		Mono<Void> written = Mono.defer(() -> write(problem, response));
		return Problems.Problem.isPageWanted(exchange.getRequest().getHeaders().getOrEmpty(HttpHeaders.ACCEPT))
				? page(problem, exception, exchange).onErrorResume((failure) -> written) : written;
	}

	// Like for an exception of the application, but without its exception handlers
	private Mono<Void> page(Problems.Problem problem, GeRedisException exception, ServerWebExchange exchange) {
		ResponseStatusException failure = new ResponseStatusException(
				HttpStatusCode.valueOf(problem.detail().getStatus()), problem.detail().getTitle(), exception);
		// Without the handler for all that has no page
		List<WebExceptionHandler> pages = this.pages.get()
			.stream()
			.filter((page) -> !(page instanceof ResponseStatusExceptionHandler))
			.toList();
		return new ExceptionHandlingWebHandler((same) -> Mono.error(failure), pages).handle(exchange);
	}

	private Mono<Void> write(Problems.Problem problem, ServerHttpResponse response) {
		byte[] body = this.problems.write(problem);
		response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
		response.getHeaders().setContentLength(body.length);
		return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
	}

	/**
	 * Adds response fields as {@link ProblemResolver.Fields} does on servlets.
	 */
	@FunctionalInterface
	public interface Fields {

		void add(GeRedisException exception, ServerWebExchange exchange);

	}

	/**
	 * The counterpart of the filter on servlets, for every refusal that no handler of the
	 * application has taken. The refusal that explains a bare 401 is noted in the context
	 * of Reactor: in an {@link AtomicReference} by the name of {@link GeRedisException}.
	 */
	static final class RefusalWebFilter implements WebFilter, Ordered {

		private static final String NOTED = GeRedisException.class.getName();

		private final ReactiveProblemResolver problems;

		private final int order;

		RefusalWebFilter(ReactiveProblemResolver problems, int order) {
			this.problems = problems;
			this.order = order;
		}

		@Override
		public int getOrder() {
			return this.order;
		}

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			AtomicReference<@Nullable GeRedisException> noted = new AtomicReference<>();
			ServerHttpResponse response = (exchange.getResponse() instanceof ZeroCopyHttpOutputMessage)
					? new ZeroCopyCompleting(exchange, noted) : new Completing(exchange, noted);
			return chain.filter(exchange.mutate().response(response).build())
				.contextWrite((context) -> context.put(NOTED, noted))
				.onErrorResume((failure) -> {
					Mono<Void> answer = answer(failure, exchange);
					return (answer != null) ? answer : Mono.error(failure);
				});
		}

		private @Nullable Mono<Void> answer(Throwable failure, ServerWebExchange exchange) {
			for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
				Mono<Void> answer = (cause instanceof GeRedisException refusal) ? this.problems.write(refusal, exchange)
						: null;
				if (answer != null) {
					return answer;
				}
			}
			return null;
		}

		private class Completing extends ServerHttpResponseDecorator {

			private final ServerWebExchange exchange;

			private final AtomicReference<@Nullable GeRedisException> noted;

			Completing(ServerWebExchange exchange, AtomicReference<@Nullable GeRedisException> noted) {
				super(exchange.getResponse());
				this.exchange = exchange;
				this.noted = noted;
			}

			@Override
			public Mono<Void> setComplete() {
				GeRedisException refusal = this.noted.get();
				boolean bare = getStatusCode() == HttpStatus.UNAUTHORIZED && getHeaders().getContentType() == null;
				Mono<Void> answer = (refusal != null && bare)
						? RefusalWebFilter.this.problems.write(refusal, this.exchange) : null;
				return (answer != null) ? answer : super.setComplete();
			}

		}

		private final class ZeroCopyCompleting extends Completing implements ZeroCopyHttpOutputMessage {

			ZeroCopyCompleting(ServerWebExchange exchange, AtomicReference<@Nullable GeRedisException> noted) {
				super(exchange, noted);
			}

			@Override
			public Mono<Void> writeWith(Path file, long position, long count) {
				return ((ZeroCopyHttpOutputMessage) getDelegate()).writeWith(file, position, count);
			}

		}

	}

}
