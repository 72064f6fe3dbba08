/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Lets the responses of idempotent handlers be kept and given again as they were sent:
 * what {@link IdempotencyFilter} is for servlets. It belongs behind all other filters,
 * and needs the {@link IdempotencyHttpHandlerDecorator} in front of them.
 */
public class IdempotencyWebFilter implements WebFilter, Ordered {

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
