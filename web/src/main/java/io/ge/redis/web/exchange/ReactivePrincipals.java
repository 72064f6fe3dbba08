// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.security.Principal;
import java.util.function.UnaryOperator;

import io.ge.redis.PrincipalProvider;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.call.ThreadBound;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.util.context.ContextView;

import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.server.ServerWebExchange;

/**
 * Names the user of the current exchange on WebFlux, as a filter has authenticated it.
 */
public class ReactivePrincipals implements PrincipalProvider, SubscriberScope {

	private final ThreadBound<Principal> current = new ThreadBound<>();

	@Override
	public @Nullable String currentPrincipal() {
		return PrincipalProvider.nameOf(this.current.get());
	}

	@Override
	public boolean isOfCaller() {
		return true;
	}

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		ServerWebExchange exchange = ServerWebExchangeContextFilter.getExchange(context).orElse(null);
		return (exchange != null) ? exchange.getPrincipal().map(this.current::binding) : null;
	}

	@Override
	public UnaryOperator<Runnable> capture() {
		return this.current.capture();
	}

}
