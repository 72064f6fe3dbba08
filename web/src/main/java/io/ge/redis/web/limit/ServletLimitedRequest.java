/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
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
	public @Nullable String connectedAddress() {
		return received().getRemoteAddr();
	}

	@Override
	public List<String> receivedLines(String name) {
		Enumeration<String> lines = received().getHeaders(name);
		return (lines != null) ? Collections.list(lines) : List.of();
	}

	// As the container saw it: filters that believe any proxy have wrapped the request
	private HttpServletRequest received() {
		ServletRequest original = this.request;
		while (original instanceof ServletRequestWrapper wrapper) {
			original = wrapper.getRequest();
		}
		return (HttpServletRequest) original;
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
