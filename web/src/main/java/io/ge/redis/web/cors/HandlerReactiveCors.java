/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.cors;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * CORS as the handlers of WebFlux have it configured: {@code @CrossOrigin}, or mappings
 * of a {@code WebFluxConfigurer}.
 */
public class HandlerReactiveCors implements ReactiveCorsFilters {

	private final Supplier<List<HandlerMapping>> mappings;

	public HandlerReactiveCors(Supplier<List<HandlerMapping>> mappings) {
		this.mappings = mappings;
	}

	/**
	 * Finds a filter for each request that is no preflight request, and for those only
	 * that are answered: by what they ask for, or by their refusal.
	 */
	@Override
	public Mono<WebFilter> find(ServerWebExchange exchange) {
		if (!CorsUtils.isPreFlightRequest(exchange.getRequest())) {
			return Mono.just(this::filter);
		}
		Trial trial = new Trial(exchange.getResponse());
		return handler(exchange.mutate().response(trial).build())
			.flatMap((handler) -> trial.isAnswer() ? Mono.just(this::filter) : Mono.empty());
	}

	private Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		// Whatever keeps it from its handler, it is answered
		return handler(exchange).onErrorComplete()
			.then(Mono.defer(() -> isRefused(exchange.getResponse()) ? Mono.empty() : chain.filter(exchange)));
	}

	private Mono<Object> handler(ServerWebExchange exchange) {
		return Flux.fromIterable(this.mappings.get()).concatMap((mapping) -> mapping.getHandler(exchange)).next();
	}

	private static boolean isRefused(ServerHttpResponse response) {
		return HttpStatus.FORBIDDEN.equals(response.getStatusCode());
	}

	private static final class Trial extends ServerHttpResponseDecorator {

		private final HttpHeaders headers = new HttpHeaders();

		private @Nullable HttpStatusCode status;

		Trial(ServerHttpResponse response) {
			super(response);
		}

		boolean isAnswer() {
			return isRefused(this) || this.headers.containsHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN);
		}

		@Override
		public boolean setStatusCode(@Nullable HttpStatusCode status) {
			this.status = status;
			return true;
		}

		@Override
		public @Nullable HttpStatusCode getStatusCode() {
			return this.status;
		}

		@Override
		public HttpHeaders getHeaders() {
			return this.headers;
		}

	}

}
