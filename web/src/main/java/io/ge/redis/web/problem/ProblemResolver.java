// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Writes refusals as {@code application/problem+json} (RFC 9457), whose body
 * {@code ErrorResponse.Interceptor} beans may change. It answers before Spring's own
 * resolvers, so that a catch-all {@code @ExceptionHandler(Exception.class)} does not turn
 * a 429 into a 500. It does not answer where the application has a handler for an
 * exception type of ours.
 */
public class ProblemResolver implements HandlerExceptionResolver, Ordered {

	private static final Log logger = LogFactory.getLog(ProblemResolver.class);

	/** The problem that the error page is about. */
	static final String PAGE = ProblemResolver.class.getName() + ".PAGE";

	private final Problems problems;

	private final Supplier<List<Fields>> fields;

	private final Supplier<HandlerExceptionResolver> application;

	public ProblemResolver(ApplicationContext context) {
		this.problems = new Problems(context);
		this.fields = Problems.all(context, Fields.class);
		this.application = SingletonSupplier.of(() -> context
			.getBean(DispatcherServlet.HANDLER_EXCEPTION_RESOLVER_BEAN_NAME, HandlerExceptionResolver.class));
	}

	/**
	 * Returns the filter that answers refusals that no handler sees.
	 */
	public Filter filter() {
		return new RefusalFilter(this);
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE + 100;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		if (!(exception instanceof GeRedisException refusal) || isHandledByApplication(handler, refusal)) {
			return null;
		}
		try {
			return write(refusal, request, response) ? new ModelAndView() : null;
		}
		catch (IOException ex) {
			logger.debug("The client disconnected before its problem was written", ex);
			return new ModelAndView();
		}
	}

	/**
	 * Answers a refusal in a filter: by the application's own advice, unless that wants a
	 * view, else as a problem.
	 */
	public boolean answer(GeRedisException refusal, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		if (isHandledByApplication(null, refusal)) {
			ModelAndView answer = this.application.get().resolveException(request, response, null, refusal);
			if (answer != null && !answer.hasView()) {
				return true;
			}
		}
		return write(refusal, request, response);
	}

	private boolean isHandledByApplication(@Nullable Object handler, GeRedisException exception) {
		return this.problems.areHandled((handler instanceof HandlerMethod method) ? method.getBeanType() : null,
				exception);
	}

	/**
	 * Writes the problem unless the response is under way or the exception is no refusal.
	 * A challenge that was set before is kept. A client that prefers a page gets the
	 * error page of the application.
	 */
	boolean write(GeRedisException exception, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		Problems.Problem problem = response.isCommitted() ? null : this.problems.of(exception, request.getRequestURI());
		if (problem == null) {
			return false;
		}
		this.fields.get().forEach((more) -> more.add(exception, request, response));
		problem.headers().forEach((name, values) -> {
			if (!name.equalsIgnoreCase(HttpHeaders.WWW_AUTHENTICATE) || !response.containsHeader(name)) {
				values.forEach((value) -> response.setHeader(name, value));
			}
		});
		if (Problems.Problem.isPageWanted(Collections.list(request.getHeaders(HttpHeaders.ACCEPT)))) {
			request.setAttribute(PAGE, problem);
			response.sendError(problem.detail().getStatus(), problem.detail().getTitle());
		}
		else {
			write(problem, response);
		}
		return true;
	}

	void write(Problems.Problem problem, HttpServletResponse response) throws IOException {
		response.resetBuffer();
		response.setStatus(problem.detail().getStatus());
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		byte[] body = this.problems.write(problem);
		try {
			response.getOutputStream().write(body);
		}
		catch (IllegalStateException ex) {
			// The failed handler had taken the writer
			response.getWriter().write(new String(body, StandardCharsets.UTF_8));
		}
	}

	/**
	 * Adds response fields to a refusal that depend on what else happened in the request.
	 */
	@FunctionalInterface
	public interface Fields {

		void add(GeRedisException exception, HttpServletRequest request, HttpServletResponse response);

	}

	/**
	 * Answers refusals that no handler sees, in front of Spring Security. An outage of
	 * Redis that leaves the filters is a 503 rather than a 500. A 401 without a body gets
	 * the problem that is noted as request attribute {@link GeRedisException}. The header
	 * of Spring Security is kept. If its filters do not let the dispatch to an error page
	 * pass, the client gets the problem, and no redirect to a login.
	 */
	static final class RefusalFilter implements Filter {

		private static final String NOTED = GeRedisException.class.getName();

		private final ProblemResolver problems;

		RefusalFilter(ProblemResolver problems) {
			this.problems = problems;
		}

		@Override
		public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			if (request instanceof HttpServletRequest httpRequest
					&& response instanceof HttpServletResponse httpResponse) {
				doFilter(httpRequest, httpResponse, chain);
			}
			else {
				chain.doFilter(request, response);
			}
		}

		private void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			Problems.Problem problem = (request.getDispatcherType() == DispatcherType.ERROR)
					? (Problems.Problem) request.getAttribute(ProblemResolver.PAGE) : null;
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

}
