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

/**
 * Lets a thread that asks for a subscriber know which request that answers. What the
 * handler has not read of its body is read before.
 */
public class ExchangeSubscriberScope implements SubscriberScope {

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		ReactiveExchange exchange = ReactiveExchange.of(context);
		if (exchange == null) {
			return null;
		}
		boolean seen = exchange.isSeen(context);
		UnaryOperator<Runnable> scope = (task) -> () -> ReactiveRequests.run(exchange, seen, task);
		return exchange.readContent().thenReturn(scope);
	}

}
