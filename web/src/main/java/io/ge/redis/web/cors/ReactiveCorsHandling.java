/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.cors;

import java.util.List;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * The counterpart of {@link CorsHandling} on WebFlux.
 */
public class ReactiveCorsHandling {

	private static final Log logger = LogFactory.getLog(ReactiveCorsHandling.class);

	private final Supplier<List<ReactiveCorsFilters>> filters;

	public ReactiveCorsHandling(Supplier<List<ReactiveCorsFilters>> filters) {
		this.filters = SingletonSupplier.of(filters);
	}

	public Mono<Boolean> answers(ServerWebExchange exchange) {
		return CorsUtils.isPreFlightRequest(exchange.getRequest()) ? find(exchange).hasElement() : Mono.just(false);
	}

	public Mono<Void> answer(ServerWebExchange exchange, WebFilterChain answer) {
		if (exchange.getRequest().getHeaders().getFirst(HttpHeaders.ORIGIN) == null) {
			return answer.filter(exchange);
		}
		return find(exchange).singleOptional()
			.flatMap((filter) -> filter.isPresent() ? filter.get().filter(exchange, answer) : answer.filter(exchange));
	}

	// Whatever is wrong with a request that is refused, it is refused
	private Mono<WebFilter> find(ServerWebExchange exchange) {
		return Flux.defer(() -> Flux.fromIterable(this.filters.get()))
			.concatMap((each) -> each.find(exchange))
			.next()
			.onErrorResume(RuntimeException.class, (failure) -> {
				logger.debug("The CORS configuration of a request cannot be found", failure);
				return Mono.empty();
			});
	}

}
