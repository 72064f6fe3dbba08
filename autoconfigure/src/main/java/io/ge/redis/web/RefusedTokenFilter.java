/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.IOException;

import io.ge.redis.blacklist.TokenBlacklist;
import io.ge.redis.blacklist.TokenRevokedException;
import io.ge.redis.blacklist.TokenStatus;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Gives the 401 for a token that was revoked its problem body, where the filters behind
 * have sent nothing but the status: Spring Security says why in a header only. What has a
 * body already is left as it is, and so is the header.
 */
public class RefusedTokenFilter implements Filter {

	private final ProblemWriter writer;

	/**
	 * Creates a filter.
	 * @param writer writes the problem
	 */
	public RefusedTokenFilter(ProblemWriter writer) {
		this.writer = writer;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		chain.doFilter(request, response);
		if (request.getAttribute(TokenStatus.class.getName()) instanceof TokenStatus status
				&& request instanceof HttpServletRequest httpRequest
				&& response instanceof HttpServletResponse httpResponse && isBare(httpResponse)) {
			this.writer.write(new TokenRevokedException(TokenBlacklist.TOKENS, status), httpRequest,
					new WithChallenge(httpResponse));
		}
	}

	private static boolean isBare(HttpServletResponse response) {
		return !response.isCommitted() && response.getStatus() == HttpStatus.UNAUTHORIZED.value()
				&& response.getContentType() == null;
	}

	/**
	 * Keeps the challenge that was sent.
	 */
	private static final class WithChallenge extends HttpServletResponseWrapper {

		WithChallenge(HttpServletResponse response) {
			super(response);
		}

		@Override
		public void setHeader(String name, String value) {
			if (!name.equalsIgnoreCase(HttpHeaders.WWW_AUTHENTICATE) || !containsHeader(name)) {
				super.setHeader(name, value);
			}
		}

	}

}
