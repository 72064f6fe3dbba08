// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.servlet;

import java.io.IOException;

import io.ge.redis.idempotency.IdempotencyProperties;
import io.ge.redis.web.exchange.ExchangeRules;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Keeps the responses of idempotent handlers and gives them again as they were sent. It
 * belongs behind all other filters, for all types of dispatches.
 */
public class IdempotencyFilter implements Filter {

	private final ExchangeRules rules;

	private final String keyHeader;

	public IdempotencyFilter(IdempotencyProperties properties) {
		this.rules = ExchangeRules.of(properties);
		this.keyHeader = properties.header();
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (!(request instanceof HttpServletRequest httpRequest)
				|| !(response instanceof HttpServletResponse httpResponse)) {
			chain.doFilter(request, response);
			return;
		}
		if (request.getDispatcherType() == DispatcherType.ERROR) {
			doFilterErrorPage(httpRequest, httpResponse, chain);
			return;
		}
		if (request.getDispatcherType() == DispatcherType.FORWARD) {
			doFilterForward(request, response, chain);
			return;
		}
		if (request.getDispatcherType() == DispatcherType.ASYNC) {
			doFilterOnceMore(request, response, chain);
			return;
		}
		ServletExchange exchange = new ServletExchange(httpRequest, httpResponse, this.rules);
		exchange.begin();
		if (httpRequest.getHeader(this.keyHeader) != null) {
			// The body may be read before the handler is known
			exchange.request().watch();
		}
		answer(exchange, exchange.request(), exchange.response(), chain);
	}

	private static void answer(ServletExchange exchange, ServletRequest request, ServletResponse response,
			FilterChain chain) throws IOException, ServletException {
		boolean thrown = true;
		try {
			chain.doFilter(request, response);
			thrown = false;
		}
		finally {
			exchange.end(thrown);
		}
	}

	// What the handler has promised is there, or is not waited for any longer
	private static void doFilterOnceMore(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		ServletExchange exchange = ServletExchange.of(request);
		if (exchange == null) {
			chain.doFilter(request, response);
			return;
		}
		exchange.resume();
		answer(exchange, request, response, chain);
	}

	// If it fails, whoever has forwarded may still answer
	private static void doFilterForward(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		chain.doFilter(request, response);
		ServletExchange exchange = ServletExchange.of(request);
		if (exchange != null) {
			exchange.endForward();
		}
	}

	private static void doFilterErrorPage(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		ServletExchange exchange = ServletExchange.of(request);
		ExchangeResponse page = (exchange != null) ? exchange.beginErrorPage(response) : null;
		if (exchange == null || page == null) {
			chain.doFilter(request, response);
			return;
		}
		answer(exchange, request, page, chain);
	}

}
