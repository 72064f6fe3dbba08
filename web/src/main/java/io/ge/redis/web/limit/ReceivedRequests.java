/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import java.util.function.UnaryOperator;

import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.call.ThreadBound;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Keeps each request as the server received it, in the context of Reactor: what comes to
 * the filters may be what any client has written into forwarded headers. Guards of
 * handlers find it bound to their thread.
 */
public class ReceivedRequests implements HttpHandlerDecoratorFactory, SubscriberScope {

	private static final ThreadBound<ServerHttpRequest> CURRENT = new ThreadBound<>();

	@Override
	public HttpHandler apply(HttpHandler handler) {
		return (request, response) -> handler.handle(request, response)
			.contextWrite((context) -> context.put(ReceivedRequests.class, request));
	}

	static ServerHttpRequest find(ContextView context, ServerHttpRequest request) {
		Object key = ReceivedRequests.class;
		return context.hasKey(key) ? context.get(key) : request;
	}

	static @Nullable LimitedRequest current() {
		ServerHttpRequest request = CURRENT.get();
		return (request != null) ? new ReactiveLimitedRequest(request, request, null) : null;
	}

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		ServerHttpRequest request = context.getOrDefault(ReceivedRequests.class, null);
		return (request != null) ? Mono.just(CURRENT.binding(request)) : null;
	}

	@Override
	public UnaryOperator<Runnable> capture() {
		return CURRENT.capture();
	}

}
