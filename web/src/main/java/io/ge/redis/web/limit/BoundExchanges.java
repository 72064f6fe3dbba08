// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.function.UnaryOperator;

import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.call.ThreadBound;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;

/**
 * Binds the exchange of a subscriber to the threads on which guards decide.
 */
public class BoundExchanges implements SubscriberScope {

	private static final ThreadBound<ServerWebExchange> CURRENT = new ThreadBound<>();

	static @Nullable ServerWebExchange current() {
		return CURRENT.get();
	}

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		return ServerWebExchangeContextFilter.getExchange(context)
			.map((exchange) -> Mono.just(CURRENT.binding(exchange)))
			.orElse(null);
	}

	@Override
	public UnaryOperator<Runnable> capture() {
		return CURRENT.capture();
	}

}
