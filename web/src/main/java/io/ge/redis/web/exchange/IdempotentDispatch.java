// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import jakarta.servlet.DispatcherType;
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
public class IdempotentDispatch implements HandlerInterceptor, HandlerExceptionResolver, Ordered {

	private final IdempotencyKeyHeader handlers;

	public IdempotentDispatch(IdempotencyKeyHeader handlers) {
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
			GuardedHandler guarded = this.handlers.find(method.getMethod(), (name) -> request.getHeader(name) != null);
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
			if (exchange != null && exchange.isReplayed()) {
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

}
