/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.autoconfigure;

import io.ge.redis.idempotency.guard.IdempotencyPattern;
import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.web.exchange.IdempotencyKeyHeader;
import io.ge.redis.web.exchange.reactive.IdempotencyWebFilter;
import io.ge.redis.web.exchange.reactive.IdempotentHandlerAdapter;
import io.ge.redis.web.exchange.reactive.ReactiveRequests;
import io.ge.redis.web.exchange.ResponseEntityRecorder;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.server.reactive.HttpHandlerDecoratorFactory;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.reactive.HandlerAdapter;

/**
 * Responses of idempotent handlers, on WebFlux.
 */
@AutoConfiguration(after = { IdempotencyAutoConfiguration.class, GeRedisWebFluxAutoConfiguration.class })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({ DispatcherHandler.class, Mono.class })
@ConditionalOnBean(IdempotencyPattern.class)
public final class IdempotencyWebFluxAutoConfiguration {

	@Bean
	IdempotencyKeyHeader geRedisIdempotencyKeyHeader(ObjectProvider<IdempotencyProperties> properties,
			ReactiveRequests requests) {
		return new IdempotencyKeyHeader(() -> properties.getObject().header(), requests);
	}

	@Bean
	ReactiveRequests geRedisReactiveRequests() {
		return new ReactiveRequests();
	}

	@Bean
	ResponseEntityRecorder geRedisResponseEntityRecorder(ObjectProvider<IdempotencyProperties> properties) {
		return ResponseEntityRecorder.onWebFlux(() -> properties.getObject().replayedHeaders());
	}

	// In front of all others, so that it sees what the application is told
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	HttpHandlerDecoratorFactory geRedisIdempotencyHttpHandlerDecorator(IdempotencyWebFilter filter) {
		return filter::decorate;
	}

	// Behind all others, also those without an order: they see a replay as they saw the
	// first response
	@Bean
	IdempotencyWebFilter geRedisIdempotencyWebFilter(IdempotencyProperties properties,
			ObjectProvider<IdempotencyKeyHeader> handlers) {
		return new IdempotencyWebFilter(properties, handlers::getObject);
	}

	@Bean
	IdempotentHandlerAdapter geRedisIdempotentHandlerAdapter(IdempotencyKeyHeader handlers,
			ObjectProvider<HandlerAdapter> adapters) {
		return new IdempotentHandlerAdapter(handlers, adapters);
	}

}
