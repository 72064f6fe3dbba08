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
 * Lets everything that is decided for an exchange find it, and tells its client where
 * limits stand when the response is committed.
 */
public class ExchangeWebFilter implements WebFilter, Ordered {

	private final ReactiveRateLimitHeaders headers;

	private final int order;

	/**
	 * Creates a filter.
	 * @param headers tells clients where their limits stand
	 * @param order its order, before that of all other filters of ours
	 */
	public ExchangeWebFilter(ReactiveRateLimitHeaders headers, int order) {
		this.headers = headers;
		this.order = order;
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		this.headers.begin(exchange);
		return chain.filter(exchange).contextWrite((context) -> CurrentExchange.put(context, exchange));
	}

}
