// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import io.ge.redis.GeRedisException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Adds response fields to a problem that depend on what else happened in the request.
 */
@FunctionalInterface
public interface ProblemFields {

	void add(GeRedisException exception, HttpServletRequest request, HttpServletResponse response);

}
