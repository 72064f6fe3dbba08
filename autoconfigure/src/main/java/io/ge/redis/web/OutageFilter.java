/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.IOException;

import io.ge.redis.core.outage.RedisUnavailableException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * Answers 503 where an outage of Redis leaves the filters behind it as an exception,
 * wrapped or not. Spring Security rethrows what keeps it from authenticating a caller,
 * and without this filter that would be a 500.
 */
public class OutageFilter implements Filter {

	private final ProblemWriter writer;

	/**
	 * Creates a filter.
	 * @param writer writes the problem
	 */
	public OutageFilter(ProblemWriter writer) {
		this.writer = writer;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		try {
			chain.doFilter(request, response);
		}
		catch (ServletException | RuntimeException ex) {
			RedisUnavailableException outage = find(ex);
			if (outage == null || !answer(outage, request, response)) {
				throw ex;
			}
		}
	}

	private boolean answer(RedisUnavailableException outage, ServletRequest request, ServletResponse response)
			throws IOException {
		if (response.isCommitted() || !(request instanceof HttpServletRequest httpRequest)
				|| !(response instanceof HttpServletResponse httpResponse)) {
			return false;
		}
		return this.writer.write(outage, httpRequest, httpResponse);
	}

	private static @Nullable RedisUnavailableException find(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof RedisUnavailableException outage) {
				return outage;
			}
		}
		return null;
	}

}
