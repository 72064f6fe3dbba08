/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import reactor.util.context.ContextView;

import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Keeps each request as the server received it, in the context of Reactor: what comes to
 * the filters may be what any client has written into forwarded headers.
 */
public class ReceivedRequests implements HttpHandlerDecoratorFactory {

	@Override
	public HttpHandler apply(HttpHandler handler) {
		return (request, response) -> handler.handle(request, response)
			.contextWrite((context) -> context.put(ReceivedRequests.class, request));
	}

	static ServerHttpRequest find(ContextView context, ServerHttpRequest request) {
		Object key = ReceivedRequests.class;
		return context.hasKey(key) ? context.get(key) : request;
	}

}
