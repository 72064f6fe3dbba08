/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

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
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ServerWebExchange;

/**
 * Writes the state of the limits into the response, also when the exchange is admitted:
 * the counterpart of {@link RateLimitHeaders} on WebFlux. Several threads may decide for
 * one exchange, so the fields are written once, by the one that commits the response.
 */
public class ReactiveRateLimitHeaders implements GuardListener, ReactiveProblemFields {

	private static final String QUOTAS = ReactiveRateLimitHeaders.class.getName() + ".quotas";

	private final Supplier<Headers> dialect;

	/**
	 * Creates the headers.
	 * @param dialect the dialect, asked once
	 */
	public ReactiveRateLimitHeaders(Supplier<Headers> dialect) {
		this.dialect = SingletonSupplier.of(dialect);
	}

	/**
	 * Begins to collect what the client is told.
	 * @param exchange the exchange
	 */
	void begin(ServerWebExchange exchange) {
		if (this.dialect.get() == Headers.NONE) {
			return;
		}
		Told told = new Told();
		exchange.getAttributes().put(QUOTAS, told);
		ServerHttpResponse response = exchange.getResponse();
		response.beforeCommit(() -> {
			List<Quota> quotas = told.quotas.get();
			if (!quotas.isEmpty()) {
				RateLimitFields.of(this.dialect.get(), quotas).forEach(response.getHeaders()::set);
			}
			return Mono.empty();
		});
	}

	@Override
	public void onEvent(GuardEvent event) {
		if (event instanceof RateLimitEvent decided && decided.quota() != null) {
			ServerWebExchange exchange = CurrentExchange.get();
			if (exchange != null) {
				tell(List.of(decided.quota()), exchange);
			}
		}
	}

	@Override
	public void add(GeRedisException exception, ServerWebExchange exchange) {
		if (exception instanceof RateLimitExceededException exceeded) {
			tell(exceeded.quotas(), exchange);
		}
	}

	/**
	 * Adds to what the client is told.
	 * @param quotas where limits stand
	 * @param exchange the exchange
	 */
	void tell(List<Quota> quotas, ServerWebExchange exchange) {
		if (told(exchange) instanceof Told told) {
			told.quotas.updateAndGet((earlier) -> RateLimitFields.merge(earlier, quotas));
		}
	}

	private static @Nullable Object told(ServerWebExchange exchange) {
		return exchange.getAttribute(QUOTAS);
	}

	/**
	 * The fields of one exchange.
	 */
	private static final class Told {

		private final AtomicReference<List<Quota>> quotas = new AtomicReference<>(List.of());

	}

}
