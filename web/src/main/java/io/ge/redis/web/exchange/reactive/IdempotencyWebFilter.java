// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.reactive;

import java.util.function.Supplier;

import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.web.exchange.ExchangeRules;
import io.ge.redis.web.exchange.IdempotencyKeyHeader;
import io.ge.redis.web.exchange.servlet.IdempotencyFilter;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Keeps the responses of idempotent handlers and gives them again as they were sent, like
 * {@link IdempotencyFilter}. It belongs behind all other filters; in front of them it has
 * to {@linkplain #decorate decorate} the handler of all requests.
 */
public class IdempotencyWebFilter implements WebFilter, Ordered {

	private final ExchangeRules rules;

	private final String keyHeader;

	private final Supplier<IdempotencyKeyHeader> handlers;

	public IdempotencyWebFilter(IdempotencyProperties properties, Supplier<IdempotencyKeyHeader> handlers) {
		this.rules = ExchangeRules.of(properties);
		this.keyHeader = properties.header();
		this.handlers = SingletonSupplier.of(handlers);
	}

	/**
	 * Sees requests as a whole. If one has a key, or may get one from its handler, its
	 * body is hashed while it is read.
	 */
	public HttpHandler decorate(HttpHandler handler) {
		return (request, response) -> {
			ReactiveExchange exchange = new ReactiveExchange(request, response, this.rules);
			if (request.getHeaders().containsHeader(this.keyHeader)
					|| this.handlers.get().isBodyComparedWithoutHeader()) {
				// The body may be read before the handler is known
				exchange.request().watch();
			}
			return exchange.answerWith(Mono.defer(() -> handler.handle(exchange.request(), exchange.response())));
		};
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		return Mono.deferContextual((context) -> {
			ReactiveExchange idempotent = ReactiveExchange.of(context);
			if (idempotent == null) {
				return chain.filter(exchange);
			}
			ReactiveExchangeResponse response = idempotent.behind(exchange.getResponse());
			ServerWebExchange decorated = exchange.mutate().response(response).build();
			return idempotent.dispatch(decorated, response, Mono.defer(() -> chain.filter(decorated)));
		});
	}

}
