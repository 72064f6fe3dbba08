// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import io.ge.redis.GeRedisException;

import org.springframework.web.server.ServerWebExchange;

/**
 * Adds response fields to problems of a reactive web application: what
 * {@link ProblemFields} is for servlets.
 */
@FunctionalInterface
public interface ReactiveProblemFields {

	void add(GeRedisException exception, ServerWebExchange exchange);

}
