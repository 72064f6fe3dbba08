// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.call.SubscriberScope;
import io.ge.redis.core.call.ThreadBound;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties.Headers;
import io.ge.redis.web.problem.ReactiveProblemFields;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * The counterpart of {@link RateLimitHeaders} on WebFlux. As a filter it stands in front
 * of everything that decides; as a {@link SubscriberScope} it shows deciding threads
 * their exchange. Several may decide for one exchange, so the fields are written once,
 * when the response is committed.
 */
public class ReactiveRateLimitHeaders
		implements GuardListener, ReactiveProblemFields, SubscriberScope, WebFilter, Ordered {

	private static final String QUOTAS = ReactiveRateLimitHeaders.class.getName() + ".quotas";

	private final ThreadBound<Quotas> current = new ThreadBound<>();

	private final Supplier<Headers> dialect;

	private final int order;

	public ReactiveRateLimitHeaders(Supplier<Headers> dialect, int order) {
		this.dialect = SingletonSupplier.of(dialect);
		this.order = order;
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		Headers headers = this.dialect.get();
		if (headers == Headers.NONE) {
			return chain.filter(exchange);
		}
		Quotas quotas = new Quotas();
		exchange.getAttributes().put(QUOTAS, quotas);
		ServerHttpResponse response = exchange.getResponse();
		response.beforeCommit(() -> {
			if (!quotas.get().isEmpty()) {
				RateLimitFields.of(headers, quotas.get()).forEach(response.getHeaders()::set);
			}
			return Mono.empty();
		});
		return chain.filter(exchange).contextWrite((context) -> context.put(QUOTAS, quotas));
	}

	@Override
	public @Nullable Publisher<UnaryOperator<Runnable>> find(ContextView context) {
		Quotas quotas = context.getOrDefault(QUOTAS, null);
		return (quotas != null) ? Mono.just(this.current.binding(quotas)) : null;
	}

	@Override
	public UnaryOperator<Runnable> capture() {
		return this.current.capture();
	}

	@Override
	public void onEvent(GuardEvent event) {
		Quotas quotas = this.current.get();
		if (quotas != null && event instanceof RateLimitEvent decided && decided.quota() != null) {
			quotas.add(List.of(decided.quota()));
		}
	}

	@Override
	public void add(GeRedisException exception, ServerWebExchange exchange) {
		if (exception instanceof RateLimitExceededException exceeded) {
			tell(exceeded.quotas(), exchange);
		}
	}

	void tell(List<Quota> quotas, ServerWebExchange exchange) {
		Quotas told = exchange.getAttribute(QUOTAS);
		if (told != null) {
			told.add(quotas);
		}
	}

	private static final class Quotas extends AtomicReference<List<Quota>> {

		Quotas() {
			super(List.of());
		}

		void add(List<Quota> quotas) {
			updateAndGet((earlier) -> RateLimitFields.merge(earlier, quotas));
		}

	}

}
