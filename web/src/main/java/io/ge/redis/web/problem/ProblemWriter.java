// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

import io.ge.redis.GeRedisException;
import io.ge.redis.web.RefusalCustomizer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.ErrorResponse;

/**
 * Writes refusals as {@code application/problem+json} (RFC 9457).
 * {@link ErrorResponse.Interceptor} beans may change the body.
 */
public class ProblemWriter {

	/** The problem that the error page is about. */
	static final String PAGE = ProblemWriter.class.getName() + ".PAGE";

	private final List<RefusalCustomizer> customizers;

	private final List<ErrorResponse.Interceptor> interceptors;

	private final List<ProblemFields> fields;

	private final JsonMapper json;

	public ProblemWriter(List<RefusalCustomizer> customizers, List<ErrorResponse.Interceptor> interceptors,
			List<ProblemFields> fields, JsonMapper json) {
		this.customizers = customizers;
		this.interceptors = interceptors;
		this.fields = fields;
		this.json = json;
	}

	/**
	 * Writes the problem unless the response is under way or the exception is no refusal.
	 * A challenge that was set before is kept. A client that wants to show a page gets
	 * the error page of the application.
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
			// Who failed had taken the writer
			response.getWriter().write(new String(body, StandardCharsets.UTF_8));
		}
	}

}
