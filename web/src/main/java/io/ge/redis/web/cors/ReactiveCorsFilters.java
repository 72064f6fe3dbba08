/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.cors;

import reactor.core.publisher.Mono;

import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;

/**
 * Knows what handles CORS in a reactive web application: what {@link CorsFilters} is for
 * servlets.
 */
@FunctionalInterface
public interface ReactiveCorsFilters {

	Mono<WebFilter> find(ServerWebExchange exchange);

}
