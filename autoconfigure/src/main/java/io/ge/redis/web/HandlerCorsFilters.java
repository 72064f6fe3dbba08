/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.function.Supplier;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.CorsProcessor;
import org.springframework.web.cors.DefaultCorsProcessor;

/**
 * CORS as the handlers of Spring MVC have it configured: {@code @CrossOrigin}, or
 * mappings of a {@code WebMvcConfigurer}.
 */
public class HandlerCorsFilters implements CorsFilters {

	private final Supplier<@Nullable CorsConfigurationSource> handlers;

	private final CorsProcessor processor = new DefaultCorsProcessor();

	/**
	 * Creates an instance.
	 * @param handlers tells what the handler of a request has configured; asked for once
	 */
	public HandlerCorsFilters(Supplier<@Nullable CorsConfigurationSource> handlers) {
		this.handlers = SingletonSupplier.ofNullable(handlers);
	}

	@Override
	public @Nullable Filter find(HttpServletRequest request) {
		CorsConfigurationSource source = this.handlers.get();
		CorsConfiguration configuration = (source != null) ? source.getCorsConfiguration(request) : null;
		return (configuration != null) ? filter(configuration) : null;
	}

	private Filter filter(CorsConfiguration configuration) {
		return (request, response, chain) -> {
			if (this.processor.processRequest(configuration, (HttpServletRequest) request,
					(HttpServletResponse) response)) {
				chain.doFilter(request, response);
			}
		};
	}

}
