/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.cors;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsUtils;

/**
 * Applies the CORS handling that a request has not reached to the answer of a filter in
 * front of it, so that pages of other origins can read it.
 */
public class CorsHandling {

	private static final Log logger = LogFactory.getLog(CorsHandling.class);

	private final Supplier<List<CorsFilters>> filters;

	public CorsHandling(Supplier<List<CorsFilters>> filters) {
		this.filters = SingletonSupplier.of(filters);
	}

	/**
	 * Returns whether CORS handling answers the request itself, as a preflight.
	 */
	public boolean answers(HttpServletRequest request) {
		return CorsUtils.isPreFlightRequest(request) && find(request) != null;
	}

	public void answer(HttpServletRequest request, HttpServletResponse response, FilterChain answer)
			throws IOException, ServletException {
		Filter filter = (request.getHeader(HttpHeaders.ORIGIN) != null) ? find(request) : null;
		if (filter != null) {
			filter.doFilter(request, response, answer);
		}
		else {
			answer.doFilter(request, response);
		}
	}

	// Whatever is wrong with a request that is refused, it is refused
	private @Nullable Filter find(HttpServletRequest request) {
		try {
			for (CorsFilters each : this.filters.get()) {
				Filter filter = each.find(request);
				if (filter != null) {
					return filter;
				}
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The CORS configuration of a request cannot be found", ex);
		}
		return null;
	}

}
