// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * A request of a servlet.
 */
record ServletLimitedRequest(HttpServletRequest request) implements LimitedRequest {

	static @Nullable LimitedRequest current() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
				? new ServletLimitedRequest(attributes.getRequest()) : null;
	}

	@Override
	public String method() {
		return this.request.getMethod();
	}

	@Override
	public @Nullable String header(String name) {
		return this.request.getHeader(name);
	}

	@Override
	public @Nullable String address() {
		return this.request.getRemoteAddr();
	}

	@Override
	public List<String> headers(String name) {
		Enumeration<String> lines = this.request.getHeaders(name);
		return (lines != null) ? Collections.list(lines) : List.of();
	}

	@Override
	public @Nullable String user() {
		return (this.request.getUserPrincipal() != null) ? this.request.getUserPrincipal().getName() : null;
	}

	@Override
	public Object exposed() {
		return this.request;
	}

}
