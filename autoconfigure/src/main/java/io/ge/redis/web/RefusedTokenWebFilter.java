/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
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
 * Gives the 401 for a token that was revoked its problem body, where the filters behind
 * would send nothing but the status: what {@link RefusedTokenFilter} is for servlets. Why
 * the token is refused is noted in the context of Reactor, under the name of
 * {@link TokenStatus}.
 */
public class RefusedTokenWebFilter implements WebFilter, Ordered {

	private final ReactiveProblemWriter writer;

	private final int order;

	/**
	 * Creates a filter.
	 * @param writer writes the problem
	 * @param order its order, before that of Spring Security
	 */
	public RefusedTokenWebFilter(ReactiveProblemWriter writer, int order) {
		this.writer = writer;
		this.order = order;
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		AtomicReference<TokenStatus> refused = new AtomicReference<>();
		ServerHttpResponse response = (exchange.getResponse() instanceof ZeroCopyHttpOutputMessage)
				? new CompletingZeroCopy(exchange, refused) : new Completing(exchange, refused);
		return chain.filter(exchange.mutate().response(response).build())
			.contextWrite((context) -> context.put(TokenStatus.class.getName(), refused));
	}

	/**
	 * Writes the body when the response is to end without one.
	 */
	private class Completing extends ServerHttpResponseDecorator {

		private final ServerWebExchange exchange;

		private final AtomicReference<TokenStatus> refused;

		Completing(ServerWebExchange exchange, AtomicReference<TokenStatus> refused) {
			super(exchange.getResponse());
			this.exchange = exchange;
			this.refused = refused;
		}

		@Override
		public Mono<Void> setComplete() {
			TokenStatus status = this.refused.get();
			boolean bare = getStatusCode() == HttpStatus.UNAUTHORIZED && getHeaders().getContentType() == null;
			Mono<Void> answer = (status != null && bare) ? RefusedTokenWebFilter.this.writer
				.write(new TokenRevokedException(TokenBlacklist.TOKENS, status), this.exchange, getDelegate()) : null;
			return (answer != null) ? answer : super.setComplete();
		}

	}

	/**
	 * The same for a server that can send files without reading them.
	 */
	private final class CompletingZeroCopy extends Completing implements ZeroCopyHttpOutputMessage {

		CompletingZeroCopy(ServerWebExchange exchange, AtomicReference<TokenStatus> refused) {
			super(exchange, refused);
		}

		@Override
		public Mono<Void> writeWith(Path file, long position, long count) {
			return ((ZeroCopyHttpOutputMessage) getDelegate()).writeWith(file, position, count);
		}

	}

}
