// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange.servlet;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestEvent;
import jakarta.servlet.ServletRequestListener;

/**
 * Sees the end of each request, so that nobody waits in vain for an error page: not every
 * server has one for every error.
 */
public class ErrorPages implements ServletRequestListener {

	private static final String SEEN = ErrorPages.class.getName();

	private volatile boolean announced;

	static boolean areSeen(ServletRequest request) {
		return request.getServletContext().getAttribute(SEEN) != null;
	}

	@Override
	public void requestInitialized(ServletRequestEvent event) {
		if (!this.announced) {
			event.getServletContext().setAttribute(SEEN, Boolean.TRUE);
			this.announced = true;
		}
	}

	@Override
	public void requestDestroyed(ServletRequestEvent event) {
		ServletExchange exchange = ServletExchange.of(event.getServletRequest());
		if (exchange != null) {
			exchange.endWithoutErrorPage();
		}
	}

}
