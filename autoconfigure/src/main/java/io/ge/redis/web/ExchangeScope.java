/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.function.UnaryOperator;

import io.ge.redis.core.call.SubscriberScope;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.web.server.ServerWebExchange;

/**
 * Lets those who are told of a decision know the exchange that it is about.
 */
public class ExchangeScope implements SubscriberScope {

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		ServerWebExchange exchange = CurrentExchange.in(context);
		return (exchange != null) ? Mono.just((task) -> CurrentExchange.bind(exchange, task)) : null;
	}

	@Override
	public UnaryOperator<Runnable> capture() {
		ServerWebExchange exchange = CurrentExchange.get();
		return (exchange != null) ? (task) -> CurrentExchange.bind(exchange, task) : UnaryOperator.identity();
	}

}
