// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.core.event.GuardEvent;
import io.ge.redis.core.event.GuardListener;
import io.ge.redis.ratelimit.Quota;
import io.ge.redis.ratelimit.RateLimitEvent;
import io.ge.redis.ratelimit.RateLimitExceededException;
import io.ge.redis.ratelimit.RateLimitProperties.Headers;
import io.ge.redis.web.problem.ReactiveProblemFields;
import reactor.core.publisher.Mono;

import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ServerWebExchange;

/**
 * Counterpart of {@link RateLimitHeaders} on WebFlux. Several guards may decide for one
 * exchange, so the fields are written once, when the response is committed.
 */
public class ReactiveRateLimitHeaders implements GuardListener, ReactiveProblemFields {

	private static final String QUOTAS = ReactiveRateLimitHeaders.class.getName() + ".quotas";

	private final Supplier<Headers> dialect;

	public ReactiveRateLimitHeaders(Supplier<Headers> dialect) {
		this.dialect = SingletonSupplier.of(dialect);
	}

	@Override
	public void onEvent(GuardEvent event) {
		ServerWebExchange exchange = BoundExchanges.current();
		if (exchange != null && event instanceof RateLimitEvent decided && decided.quota() != null) {
			tell(List.of(decided.quota()), exchange);
		}
	}

	@Override
	public void add(GeRedisException exception, ServerWebExchange exchange) {
		if (exception instanceof RateLimitExceededException exceeded) {
			tell(exceeded.quotas(), exchange);
		}
	}

	void tell(List<Quota> quotas, ServerWebExchange exchange) {
		Headers headers = this.dialect.get();
		if (headers != Headers.NONE) {
			Quotas sent = (Quotas) exchange.getAttributes()
				.computeIfAbsent(QUOTAS, (name) -> begin(headers, exchange.getResponse()));
			sent.add(quotas);
		}
	}

	private static Quotas begin(Headers headers, ServerHttpResponse response) {
		Quotas quotas = new Quotas();
		response.beforeCommit(() -> {
			if (!quotas.get().isEmpty()) {
				RateLimitFields.of(headers, quotas.get()).forEach(response.getHeaders()::set);
			}
			return Mono.empty();
		});
		return quotas;
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
