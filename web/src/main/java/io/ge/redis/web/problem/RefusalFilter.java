// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.io.IOException;

import io.ge.redis.GeRedisException;
import io.ge.redis.RedisUnavailableException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Answers refusals that no handler sees, in front of Spring Security. An outage of Redis
 * that leaves the filters is a 503 rather than a 500. A 401 without a body gets the
 * problem that is noted as request attribute {@link GeRedisException}. The header of
 * Spring Security is kept. If its filters do not let the dispatch to an error page pass,
 * the client gets the problem, and no redirect to a login.
 */
public class RefusalFilter implements Filter {

	private static final String NOTED = GeRedisException.class.getName();

	private final ProblemResolver problems;

	public RefusalFilter(ProblemResolver problems) {
		this.problems = problems;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		if (request instanceof HttpServletRequest httpRequest && response instanceof HttpServletResponse httpResponse) {
			doFilter(httpRequest, httpResponse, chain);
		}
		else {
			chain.doFilter(request, response);
		}
	}

	private void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		Problem problem = (request.getDispatcherType() == DispatcherType.ERROR)
				? (Problem) request.getAttribute(ProblemResolver.PAGE) : null;
		ErrorPage page = (problem != null) ? new ErrorPage(response, problem.detail().getStatus()) : null;
		try {
			chain.doFilter(request, (page != null) ? page : response);
		}
		catch (ServletException | RuntimeException ex) {
			GeRedisException refusal = findRefusal(ex);
			if (refusal == null || !this.problems.write(refusal, request, response)) {
				throw ex;
			}
		}
		if (problem != null && page != null && page.isReplaced && !response.isCommitted()) {
			this.problems.write(problem, response);
		}
		if (request.getDispatcherType() == DispatcherType.REQUEST && isBare(response)
				&& request.getAttribute(NOTED) instanceof GeRedisException refusal) {
			if (refusal instanceof RedisUnavailableException) {
				response.setHeader(HttpHeaders.WWW_AUTHENTICATE, null);
			}
			this.problems.write(refusal, request, response);
		}
	}

	private static @Nullable GeRedisException findRefusal(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof GeRedisException refused && refused.refusal() != null) {
				return refused;
			}
		}
		return null;
	}

	private static boolean isBare(HttpServletResponse response) {
		return !response.isCommitted() && response.getStatus() == HttpStatus.UNAUTHORIZED.value()
				&& response.getContentType() == null;
	}

	/**
	 * Takes a page, and no other answer in its place.
	 */
	private static final class ErrorPage extends HttpServletResponseWrapper {

		private final int status;

		private boolean isReplaced;

		ErrorPage(HttpServletResponse response, int status) {
			super(response);
			this.status = status;
		}

		@Override
		public void setStatus(int status) {
			if (status == this.status) {
				super.setStatus(status);
			}
			else {
				this.isReplaced = true;
			}
		}

		@Override
		public void sendError(int status) {
			this.isReplaced = true;
		}

		@Override
		public void sendError(int status, String message) {
			this.isReplaced = true;
		}

		@Override
		public void sendRedirect(String location) {
			this.isReplaced = true;
		}

		@Override
		public void sendRedirect(String location, int status, boolean clearBuffer) {
			this.isReplaced = true;
		}

		@Override
		public void flushBuffer() throws IOException {
			if (!this.isReplaced) {
				super.flushBuffer();
			}
		}

	}

}
