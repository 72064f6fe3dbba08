// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import io.ge.redis.web.RefusalCustomizer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.ErrorResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Writes refusals as {@code application/problem+json} (RFC 9457), whose body
 * {@link ErrorResponse.Interceptor} beans may change. It answers before Spring's own
 * resolvers, so that a catch-all {@code @ExceptionHandler(Exception.class)} does not turn
 * a 429 into a 500. It does not answer where the application has a handler for an
 * exception type of ours.
 */
public class ProblemResolver implements HandlerExceptionResolver, Ordered {

	private static final Log logger = LogFactory.getLog(ProblemResolver.class);

	/** The problem that the error page is about. */
	static final String PAGE = ProblemResolver.class.getName() + ".PAGE";

	private final List<RefusalCustomizer> customizers;

	private final List<ErrorResponse.Interceptor> interceptors;

	private final List<ProblemFields> fields;

	private final JsonMapper json;

	private final ApplicationHandlers handlers;

	private final Supplier<HandlerExceptionResolver> application;

	public ProblemResolver(List<RefusalCustomizer> customizers, List<ErrorResponse.Interceptor> interceptors,
			List<ProblemFields> fields, JsonMapper json, ApplicationContext context) {
		this.customizers = customizers;
		this.interceptors = interceptors;
		this.fields = fields;
		this.json = json;
		this.handlers = new ApplicationHandlers(context);
		this.application = SingletonSupplier.of(() -> context
			.getBean(DispatcherServlet.HANDLER_EXCEPTION_RESOLVER_BEAN_NAME, HandlerExceptionResolver.class));
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
		return this.handlers.handle((handler instanceof HandlerMethod method) ? method.getBeanType() : null, exception);
	}

	/**
	 * Writes the problem unless the response is under way or the exception is no refusal.
	 * A challenge that was set before is kept. A client that prefers a page gets the
	 * error page of the application.
	 */
	public boolean write(GeRedisException exception, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		Problem problem = response.isCommitted() ? null
				: Problem.of(exception, this.customizers, this.interceptors, request.getRequestURI());
		if (problem == null) {
			return false;
		}
		this.fields.forEach((more) -> more.add(exception, request, response));
		problem.headers().forEach((name, values) -> {
			if (!name.equalsIgnoreCase(HttpHeaders.WWW_AUTHENTICATE) || !response.containsHeader(name)) {
				values.forEach((value) -> response.setHeader(name, value));
			}
		});
		if (Problem.isPageWanted(Collections.list(request.getHeaders(HttpHeaders.ACCEPT)))) {
			request.setAttribute(PAGE, problem);
			response.sendError(problem.detail().getStatus(), problem.detail().getTitle());
		}
		else {
			write(problem, response);
		}
		return true;
	}

	void write(Problem problem, HttpServletResponse response) throws IOException {
		response.resetBuffer();
		response.setStatus(problem.detail().getStatus());
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		send(this.json.writeValueAsBytes(problem.members()), response);
	}

	private static void send(byte[] body, HttpServletResponse response) throws IOException {
		try {
			response.getOutputStream().write(body);
		}
		catch (IllegalStateException ex) {
			// The failed handler had taken the writer
			response.getWriter().write(new String(body, StandardCharsets.UTF_8));
		}
	}

}
