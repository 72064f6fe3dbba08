// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.function.UnaryOperator;

import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.call.ThreadBound;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Keeps each request in the context of Reactor, so that guards of handlers find it bound
 * to their thread.
 */
public class BoundRequests implements WebFilter, Ordered, SubscriberScope {

	private static final ThreadBound<ServerHttpRequest> CURRENT = new ThreadBound<>();

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		return chain.filter(exchange)
			.contextWrite((context) -> context.put(BoundRequests.class, exchange.getRequest()));
	}

	static @Nullable LimitedRequest current() {
		ServerHttpRequest request = CURRENT.get();
		return (request != null) ? new ReactiveLimitedRequest(request, null) : null;
	}

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		ServerHttpRequest request = context.getOrDefault(BoundRequests.class, null);
		return (request != null) ? Mono.just(CURRENT.binding(request)) : null;
	}

	@Override
	public UnaryOperator<Runnable> capture() {
		return CURRENT.capture();
	}

}
