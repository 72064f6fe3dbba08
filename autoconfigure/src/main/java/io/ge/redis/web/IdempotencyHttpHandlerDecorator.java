/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.function.Supplier;

import io.ge.redis.idempotency.IdempotencyProperties;
import reactor.core.publisher.Mono;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;

/**
 * Sees requests on WebFlux as a whole, in front of all filters and of what answers the
 * exceptions that leave them. A request to a handler that is not guarded is passed on
 * through objects that hold nothing back. If the request has a key, or may get one from
 * its handler, its body is hashed while it is read.
 */
public class IdempotencyHttpHandlerDecorator implements HttpHandlerDecoratorFactory {

	private final ExchangeRules rules;

	private final String keyHeader;

	private final Supplier<IdempotencyKeyHeader> handlers;

	/**
	 * Creates a decorator.
	 * @param properties what is kept
	 * @param handlers knows the guarded handlers, asked for once
	 * @throws io.ge.redis.core.invocation.GuardConfigurationException if a header is to
	 * be replayed that must not be
	 */
	public IdempotencyHttpHandlerDecorator(IdempotencyProperties properties, Supplier<IdempotencyKeyHeader> handlers) {
		this.rules = ExchangeRules.of(properties);
		this.keyHeader = properties.header();
		this.handlers = SingletonSupplier.of(handlers);
	}

	@Override
	public HttpHandler apply(HttpHandler handler) {
		return (request, response) -> handle(handler, request, response);
	}

	private Mono<Void> handle(HttpHandler handler, ServerHttpRequest request, ServerHttpResponse response) {
		ReactiveExchange exchange = new ReactiveExchange(request, response, this.rules);
		if (request.getHeaders().containsHeader(this.keyHeader) || this.handlers.get().isBodyComparedWithoutHeader()) {
			// The body may be read before the handler is known
			exchange.request().watch();
		}
		return exchange.answerWith(Mono.defer(() -> handler.handle(exchange.request(), exchange.response())));
	}

}
