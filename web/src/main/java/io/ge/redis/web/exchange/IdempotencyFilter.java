// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.io.IOException;

import io.ge.redis.idempotency.IdempotencyProperties;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Stores the responses of idempotent handlers and replays them as they were sent. It
 * belongs behind all other filters, for requests and for asynchronous dispatches. It must
 * also be in front of forwards: their responses are sent and not stored.
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
		ServletExchange exchange = ServletExchange.of(request);
		if (request.getDispatcherType() == DispatcherType.REQUEST && request instanceof HttpServletRequest httpRequest
				&& response instanceof HttpServletResponse httpResponse) {
			ServletExchange begun = new ServletExchange(httpRequest, httpResponse, this.rules);
			begun.begin();
			if (httpRequest.getHeader(this.keyHeader) != null) {
				// The body may be read before the handler is known
				begun.request().watch();
			}
			answer(begun, begun.request(), begun.response(), chain);
		}
		else if (exchange != null && request.getDispatcherType() == DispatcherType.ASYNC) {
			exchange.resume();
			answer(exchange, request, response, chain);
		}
		else {
			if (exchange != null) {
				exchange.late();
			}
			chain.doFilter(request, response);
		}
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

}
