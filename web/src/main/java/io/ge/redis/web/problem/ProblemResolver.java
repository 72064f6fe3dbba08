// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.io.IOException;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers refusals before Spring's own resolvers, so that a catch-all
 * {@code @ExceptionHandler(Exception.class)} does not turn a 429 into a 500. Steps back
 * where the application has a handler for an exception type of ours.
 */
public class ProblemResolver implements HandlerExceptionResolver, Ordered {

	private static final Log logger = LogFactory.getLog(ProblemResolver.class);

	private final ProblemWriter writer;

	private final ApplicationHandlers handlers;

	private final Supplier<HandlerExceptionResolver> application;

	public ProblemResolver(ProblemWriter writer, ApplicationContext context) {
		this.writer = writer;
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
			return this.writer.write(refusal, request, response) ? new ModelAndView() : null;
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
		return this.writer.write(refusal, request, response);
	}

	private boolean isHandledByApplication(@Nullable Object handler, GeRedisException exception) {
		return this.handlers.handle((handler instanceof HandlerMethod method) ? method.getBeanType() : null, exception);
	}

}
