/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.security;

import java.util.List;
import java.util.function.Supplier;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.security.web.SecurityFilterChain;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.filter.CorsFilter;

/**
 * Knows the filter by which Spring Security handles CORS for a request.
 */
public class SecurityCors {

	private final Supplier<List<SecurityFilterChain>> chains;

	/**
	 * Creates an instance.
	 * @param chains the chains, of which the first that matches counts; asked for once
	 */
	public SecurityCors(Supplier<List<SecurityFilterChain>> chains) {
		this.chains = SingletonSupplier.of(chains);
	}

	/**
	 * Finds the filter for a request.
	 * @param request the request
	 * @return the filter, or {@code null} if the chain of the request has none
	 */
	public @Nullable Filter find(HttpServletRequest request) {
		for (SecurityFilterChain chain : this.chains.get()) {
			if (chain.matches(request)) {
				return corsFilter(chain);
			}
		}
		return null;
	}

	private static @Nullable Filter corsFilter(SecurityFilterChain chain) {
		for (Filter filter : chain.getFilters()) {
			if (filter instanceof CorsFilter) {
				return filter;
			}
		}
		return null;
	}

}
