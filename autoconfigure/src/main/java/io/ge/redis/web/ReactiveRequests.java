/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.lang.reflect.Method;
import java.util.List;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.idempotency.IdempotentExchange;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

import org.springframework.core.NamedThreadLocal;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.codec.multipart.Part;

/**
 * Requests that are found in the context of a subscriber, and bound to a thread while it
 * asks for them.
 */
final class ReactiveRequests implements HandlerRequests {

	private static final ThreadLocal<@Nullable ReactiveExchange> CURRENT = new NamedThreadLocal<>(
			"Exchange of a subscriber");

	/**
	 * Runs a task that finds an exchange.
	 */
	static void run(ReactiveExchange exchange, Runnable task) {
		ReactiveExchange before = CURRENT.get();
		CURRENT.set(exchange);
		try {
			task.run();
		}
		finally {
			if (before != null) {
				CURRENT.set(before);
			}
			else {
				CURRENT.remove();
			}
		}
	}

	@Override
	public @Nullable CurrentRequest current() {
		ReactiveExchange exchange = CURRENT.get();
		return (exchange != null) ? new Current(exchange) : null;
	}

	/**
	 * A value, or a future that has begun, would be decided on before there is a
	 * subscriber, and by waiting for Redis on the event loop.
	 */
	@Override
	public void require(GuardedMethod handler) {
		ResultForm.Kind kind = ReturnTypes.form(handler).kind();
		if (kind != ResultForm.Kind.SINGLE && kind != ResultForm.Kind.MULTIPLE) {
			throw handler.problem("a handler on WebFlux that returns no publisher cannot be guarded.",
					"Return a Mono, such as by Mono.fromCallable or Mono.fromFuture, or write a suspending function.");
		}
	}

	/**
	 * A request.
	 *
	 * @param exchange it and its response
	 */
	private record Current(ReactiveExchange exchange) implements CurrentRequest {

		@Override
		public List<String> headers(String name) {
			return this.exchange.request().getHeaders().getOrEmpty(name);
		}

		@Override
		public @Nullable List<@Nullable Object> content(Method handler) {
			return this.exchange.isOf(handler) ? this.exchange.content() : null;
		}

		@Override
		public List<@Nullable Object> contentWithoutBody() {
			return this.exchange.contentWithoutBody();
		}

		// What is still to be read tells nothing
		@Override
		public @Nullable Object comparable(@Nullable Object argument) {
			if (argument instanceof FilePart file) {
				return List.of(file.name(), file.filename());
			}
			if (argument instanceof Part part) {
				return part.name();
			}
			return (argument instanceof Publisher<?>) ? null : argument;
		}

		@Override
		public @Nullable IdempotentExchange exchange(Method handler) {
			return this.exchange.isOf(handler) ? this.exchange.forNextCall() : null;
		}

		@Override
		public void replaying() {
			this.exchange.replaying();
		}

	}

}
