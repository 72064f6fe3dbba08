/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.idempotency.IdempotentExchange;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Requests that are bound to their threads.
 */
final class ServletRequests implements HandlerRequests {

	@Override
	public @Nullable CurrentRequest current() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
				? new Current(attributes) : null;
	}

	@Override
	public void require(GuardedMethod handler) {
		if (!ReturnTypes.form(handler).isPlain()) {
			throw handler.problem("the response of a handler on Spring MVC that answers later cannot be kept.",
					"Return the plain value, or move @Idempotent to a method that the handler calls.");
		}
	}

	/**
	 * A request.
	 *
	 * @param attributes the request and its response
	 */
	private record Current(ServletRequestAttributes attributes) implements CurrentRequest {

		@Override
		public List<String> headers(String name) {
			return Collections.list(this.attributes.getRequest().getHeaders(name));
		}

		private @Nullable ServletExchange exchangeOf(Method handler) {
			ServletExchange exchange = ServletExchange.of(this.attributes.getRequest());
			return (exchange != null && exchange.isOf(handler)) ? exchange : null;
		}

		@Override
		public @Nullable List<@Nullable Object> content(Method handler) {
			ServletExchange exchange = exchangeOf(handler);
			return (exchange != null) ? exchange.content() : null;
		}

		@Override
		public List<@Nullable Object> contentWithoutBody() {
			return RequestContent.withoutBody(this.attributes.getRequest());
		}

		@Override
		public @Nullable Object comparable(@Nullable Object argument) {
			if (!(argument instanceof Part part)) {
				return argument;
			}
			try {
				return List.of(String.valueOf(part.getSubmittedFileName()), part.getInputStream().readAllBytes());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		public @Nullable IdempotentExchange exchange(Method handler) {
			ServletExchange exchange = exchangeOf(handler);
			return (exchange != null) ? exchange.forNextCall() : null;
		}

		@Override
		public Runnable replaying() {
			HttpServletResponse response = this.attributes.getResponse();
			return () -> {
				if (response != null) {
					response.setHeader(IdempotencyKeyHeader.REPLAYED, "true");
				}
			};
		}

	}

}
