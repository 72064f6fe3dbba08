// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample.live;

import java.io.IOException;
import java.util.Locale;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.web.util.OnCommittedResponseWrapper;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Adds the header {@code Server-Timing} to each response: the time from the first filter
 * until the response begins. A browser adds queues and the network to that.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class ServerTimingFilter extends OncePerRequestFilter {

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		TimedResponse timed = new TimedResponse(response);
		try {
			chain.doFilter(request, timed);
		}
		finally {
			if (!request.isAsyncStarted()) {
				timed.onResponseCommitted();
			}
		}
	}

	private static final class TimedResponse extends OnCommittedResponseWrapper {

		private static final double NANOS_PER_MILLI = 1_000_000;

		private final long begin = System.nanoTime();

		TimedResponse(HttpServletResponse response) {
			super(response);
		}

		/** After the response has begun, a header is ignored. */
		@Override
		protected void onResponseCommitted() {
			disableOnResponseCommitted();
			double millis = (System.nanoTime() - this.begin) / NANOS_PER_MILLI;
			setHeader("Server-Timing", String.format(Locale.ROOT, "app;dur=%.1f", millis));
		}

	}

}
