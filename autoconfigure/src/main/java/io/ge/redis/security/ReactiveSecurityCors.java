/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.security;

import java.util.List;
import java.util.function.Supplier;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.reactive.CorsWebFilter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;

/**
 * Knows the filter by which Spring Security handles CORS in a reactive web application.
 */
public class ReactiveSecurityCors {

	private final Supplier<List<SecurityWebFilterChain>> chains;

	/**
	 * Creates an instance.
	 * @param chains the chains, of which the first that matches counts; asked for once
	 */
	public ReactiveSecurityCors(Supplier<List<SecurityWebFilterChain>> chains) {
		this.chains = SingletonSupplier.of(chains);
	}

	/**
	 * Finds the filter for a request.
	 * @param exchange the exchange
	 * @return the filter, or nothing if the chain of the request has none
	 */
	public Mono<WebFilter> find(ServerWebExchange exchange) {
		return Flux.fromIterable(this.chains.get())
			.filterWhen((chain) -> chain.matches(exchange), 1)
			.next()
			.flatMapMany(SecurityWebFilterChain::getWebFilters)
			.filter(CorsWebFilter.class::isInstance)
			.next();
	}

}
