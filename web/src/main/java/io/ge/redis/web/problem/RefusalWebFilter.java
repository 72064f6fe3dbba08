// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * The counterpart of {@link RefusalFilter} on WebFlux, for every refusal that no handler
 * of the application has taken. The refusal that explains a bare 401 is noted in the
 * context of Reactor: in an {@link AtomicReference} by the name of
 * {@link GeRedisException}.
 */
public class RefusalWebFilter implements WebFilter, Ordered {

	private static final String NOTED = GeRedisException.class.getName();

	private final ReactiveProblemResolver problems;

	private final int order;

	public RefusalWebFilter(ReactiveProblemResolver problems, int order) {
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
			Mono<Void> answer = (refusal != null && bare) ? RefusalWebFilter.this.problems.write(refusal, this.exchange)
					: null;
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
