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
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;

/**
 * Notifies an exchange that its handler is guarded, and that the response answers an
 * exception; renders no view where a response is replayed.
 */
class IdempotentDispatch implements HandlerInterceptor, HandlerExceptionResolver, Ordered {

	private final IdempotencyKeyHeader handlers;

	IdempotentDispatch(IdempotencyKeyHeader handlers) {
		this.handlers = handlers;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		// Responses of forwards are not stored, and before an asynchronous dispatch the
		// handler has been called
		if (handler instanceof HandlerMethod method && request.getDispatcherType() == DispatcherType.REQUEST) {
			IdempotencyKeyHeader.GuardedHandler guarded = this.handlers.find(method.getMethod(),
					(name) -> request.getHeader(name) != null);
			ServletExchange exchange = (guarded != null) ? ServletExchange.of(request) : null;
			if (guarded != null && exchange != null) {
				exchange.expect(guarded);
			}
		}
		return true;
	}

	@Override
	public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable ModelAndView modelAndView) {
		if (modelAndView != null) {
			ServletExchange exchange = ServletExchange.of(request);
			if (exchange != null && exchange.replayed() != null) {
				modelAndView.clear();
			}
		}
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		ServletExchange exchange = ServletExchange.of(request);
		if (exchange != null) {
			exchange.failed(exception);
		}
		return null;
	}

	/**
	 * Stores the responses of idempotent handlers and replays them as they were sent. It
	 * belongs behind all other filters, for requests and for asynchronous dispatches. It
	 * must also be in front of forwards: their responses are sent and not stored.
	 */
	static final class Around implements Filter {

		private final ExchangeRules rules;

		private final String keyHeader;

		Around(IdempotencyProperties properties) {
			this.rules = ExchangeRules.of(properties);
			this.keyHeader = properties.header();
		}

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			ServletExchange exchange = ServletExchange.of(request);
			if (request.getDispatcherType() == DispatcherType.REQUEST
					&& request instanceof HttpServletRequest httpRequest
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

}
