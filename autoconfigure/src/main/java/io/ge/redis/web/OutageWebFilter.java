/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Answers where an outage of Redis leaves the filters behind it as an error, wrapped or
 * not: what {@link OutageFilter} is for servlets. So it does for every other refusal that
 * no handler of the application has taken, since nothing stands behind the controllers
 * here that would.
 */
public class OutageWebFilter implements WebFilter, Ordered {

	private final ReactiveProblemWriter writer;

	private final int order;

	/**
	 * Creates a filter.
	 * @param writer writes the problem
	 * @param order its order, before that of Spring Security
	 */
	public OutageWebFilter(ReactiveProblemWriter writer, int order) {
		this.writer = writer;
		this.order = order;
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		return chain.filter(exchange).onErrorResume((failure) -> {
			Mono<Void> answer = answer(failure, exchange);
			return (answer != null) ? answer : Mono.error(failure);
		});
	}

	private @Nullable Mono<Void> answer(Throwable failure, ServerWebExchange exchange) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			Mono<Void> answer = (cause instanceof GeRedisException refusal)
					? this.writer.write(refusal, exchange, exchange.getResponse()) : null;
			if (answer != null) {
				return answer;
			}
		}
		return null;
	}

}
