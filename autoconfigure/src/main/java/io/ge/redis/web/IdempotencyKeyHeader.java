/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.io.OutputStream;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.IdempotencyKeySource;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.http.HttpEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Takes the keys of web handlers from the request header {@code Idempotency-Key}, and
 * compares HTTP method, route and the arguments that are bound from path, parameters and
 * body. Replayed responses carry {@code Idempotent-Replayed: true}.
 */
public class IdempotencyKeyHeader implements IdempotencyKeySource {

	/** Response header of replayed responses. */
	public static final String REPLAYED = "Idempotent-Replayed";

	private static final String ROUTE = "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

	private final Supplier<String> header;

	/**
	 * Creates a source.
	 * @param header name of the request header
	 */
	public IdempotencyKeyHeader(Supplier<String> header) {
		this.header = header;
	}

	@Override
	public @Nullable Calls bind(GuardedMethod method) {
		if (!isHandler(method)) {
			return null;
		}
		AnnotatedMethod handler = new AnnotatedMethod(method.method());
		requireRecordable(method, handler);
		List<MethodParameter> parameters = Arrays.asList(handler.getMethodParameters());
		List<Integer> bound = new ArrayList<>();
		for (MethodParameter parameter : parameters) {
			if (RequestArguments.isBound(parameter)) {
				bound.add(parameter.getParameterIndex());
			}
		}
		return new Requests(this.header, bound);
	}

	private static boolean isHandler(GuardedMethod method) {
		return AnnotatedElementUtils.hasAnnotation(method.targetClass(), Controller.class)
				&& (AnnotatedElementUtils.hasAnnotation(method.method(), RequestMapping.class)
						|| AnnotatedElementUtils.hasAnnotation(method.method(), HttpExchange.class));
	}

	// What the handler writes itself is not in its result
	private static void requireRecordable(GuardedMethod method, AnnotatedMethod handler) {
		boolean returnsNothing = method.method().getReturnType() == void.class;
		for (Class<?> type : method.method().getParameterTypes()) {
			if (OutputStream.class.isAssignableFrom(type) || Writer.class.isAssignableFrom(type)
					|| (returnsNothing && ServletResponse.class.isAssignableFrom(type))) {
				throw method.problem("it writes its response itself, so there is no result to be kept.",
						"Return the response as a value or a ResponseEntity.");
			}
		}
		boolean writesResult = returnsNothing || HttpEntity.class.isAssignableFrom(method.method().getReturnType())
				|| handler.hasMethodAnnotation(ResponseBody.class)
				|| AnnotatedElementUtils.hasAnnotation(method.targetClass(), ResponseBody.class);
		if (!writesResult) {
			throw method.problem("it renders a view, whose model is not kept.",
					"Add @ResponseBody, or return a ResponseEntity.");
		}
	}

	/**
	 * The requests to one handler.
	 */
	private static final class Requests implements Calls {

		private final Supplier<String> header;

		private final List<Integer> bound;

		Requests(Supplier<String> header, List<Integer> bound) {
			this.header = header;
			this.bound = bound;
		}

		@Override
		public @Nullable String key() {
			ServletRequestAttributes current = current();
			if (current == null) {
				return null;
			}
			String name = this.header.get();
			List<String> values = Collections.list(current.getRequest().getHeaders(name));
			if (values.isEmpty()) {
				return null;
			}
			String key = (values.size() == 1) ? IdempotencyKeySyntax.parse(values.get(0)) : null;
			if (key == null) {
				throw new IdempotencyKeyException("The header " + name
						+ " must hold one key of 1 to 255 printable ASCII characters, as a string in double quotes or "
						+ "bare without spaces");
			}
			return key;
		}

		@Override
		public List<@Nullable Object> payload(@Nullable Object[] arguments) {
			List<@Nullable Object> payload = new ArrayList<>(this.bound.size() + 2);
			ServletRequestAttributes current = current();
			if (current != null) {
				HttpServletRequest request = current.getRequest();
				payload.add(request.getMethod());
				payload.add(String.valueOf(request.getAttribute(ROUTE)));
			}
			for (int index : this.bound) {
				payload.add(RequestArguments.comparable(arguments[index]));
			}
			return payload;
		}

		@Override
		public void replaying() {
			ServletRequestAttributes current = current();
			HttpServletResponse response = (current != null) ? current.getResponse() : null;
			if (response != null) {
				response.setHeader(REPLAYED, "true");
			}
		}

		private static @Nullable ServletRequestAttributes current() {
			return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
					? attributes : null;
		}

	}

}
