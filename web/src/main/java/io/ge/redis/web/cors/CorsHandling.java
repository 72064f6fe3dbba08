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
 * Lets pages of other origins read the answers of a filter in front of the application's
 * CORS handling: the handling that the request has not reached is applied to the answer.
 * An origin that is not allowed is told so, as behind the filter.
 */
public class CorsHandling {

	private static final Log logger = LogFactory.getLog(CorsHandling.class);

	private final Supplier<List<CorsFilters>> filters;

	/**
	 * Creates an instance.
	 * @param filters know what handles CORS, in the order in which a request meets them;
	 * asked for once
	 */
	public CorsHandling(Supplier<List<CorsFilters>> filters) {
		this.filters = SingletonSupplier.of(filters);
	}

	/**
	 * Returns whether a request is a question of a browser that the CORS handling
	 * answers, so that it reaches nothing of the application.
	 */
	public boolean answers(HttpServletRequest request) {
		return CorsUtils.isPreFlightRequest(request) && find(request) != null;
	}

	/**
	 * Answers a request that goes no further.
	 * @param answer writes the answer
	 * @throws IOException if the response cannot be written
	 * @throws ServletException if the answer fails so
	 */
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
