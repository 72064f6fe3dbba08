/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.IdempotencyKeySource;
import io.ge.redis.idempotency.IdempotentExchange;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedMethod;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Takes the keys of web handlers from the request header {@code Idempotency-Key}, and
 * compares HTTP method, path, parameters and the bytes of the body. Where the bytes are
 * not seen, since there is no {@link IdempotencyFilter} or something else has read the
 * body before the handler was known, the arguments that are bound from path, parameters
 * and body take their place. Replayed responses carry {@code Idempotent-Replayed: true}.
 */
public class IdempotencyKeyHeader implements IdempotencyKeySource {

	/** Response header of replayed responses. */
	public static final String REPLAYED = "Idempotent-Replayed";

	// Decide on the result whether the caller may have it
	private static final List<String> CHECKS = List.of("org.springframework.security.access.prepost.PostAuthorize",
			"org.springframework.security.access.prepost.PostFilter");

	private final Supplier<String> header;

	private final Set<Method> guarded = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a source.
	 * @param header name of the request header
	 */
	public IdempotencyKeyHeader(Supplier<String> header) {
		this.header = header;
	}

	@Override
	public @Nullable Calls bind(GuardedMethod method) {
		if (!WebHandlers.isHandler(method)) {
			return null;
		}
		if (!ReturnTypes.form(method).isPlain()) {
			throw method.problem("the response of a handler on Spring MVC that answers later cannot be kept.",
					"Return the plain value, or move @Idempotent to a method that the handler calls.");
		}
		List<Integer> bound = new ArrayList<>();
		for (MethodParameter parameter : new AnnotatedMethod(method.method()).getMethodParameters()) {
			if (RequestArguments.isBound(parameter)) {
				bound.add(parameter.getParameterIndex());
			}
		}
		this.guarded.add(method.method());
		return new Requests(this.header, method.method(), bound, isResultChecked(method));
	}

	private static boolean isResultChecked(GuardedMethod method) {
		MergedAnnotations onMethod = MergedAnnotations.from(method.method(), SearchStrategy.TYPE_HIERARCHY);
		MergedAnnotations onClass = MergedAnnotations.from(method.targetClass(), SearchStrategy.TYPE_HIERARCHY);
		return CHECKS.stream().anyMatch((check) -> onMethod.isPresent(check) || onClass.isPresent(check));
	}

	/**
	 * Returns whether a handler is guarded.
	 */
	boolean isGuarded(Method handler) {
		return this.guarded.contains(handler);
	}

	/**
	 * The requests to one handler.
	 */
	private static final class Requests implements Calls {

		private final Supplier<String> header;

		private final Method method;

		private final List<Integer> bound;

		private final boolean resultChecked;

		Requests(Supplier<String> header, Method method, List<Integer> bound, boolean resultChecked) {
			this.header = header;
			this.method = method;
			this.bound = bound;
			this.resultChecked = resultChecked;
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
			ServletRequestAttributes current = current();
			ServletExchange exchange = (current != null) ? ServletExchange.of(current.getRequest()) : null;
			List<@Nullable Object> content = (exchange != null && exchange.isOf(this.method)) ? exchange.content()
					: null;
			return (content != null) ? content : fields(current, arguments);
		}

		private List<@Nullable Object> fields(@Nullable ServletRequestAttributes current,
				@Nullable Object[] arguments) {
			List<@Nullable Object> payload = new ArrayList<>();
			if (current != null) {
				payload.addAll(RequestContent.withoutBody(current.getRequest()));
			}
			for (int index : this.bound) {
				payload.add(RequestArguments.comparable(arguments[index]));
			}
			return payload;
		}

		@Override
		public @Nullable IdempotentExchange exchange() {
			if (this.resultChecked) {
				// The check is to see what is given again, so the value is kept
				return null;
			}
			ServletRequestAttributes current = current();
			ServletExchange exchange = (current != null) ? ServletExchange.of(current.getRequest()) : null;
			return (exchange != null && exchange.isOf(this.method)) ? exchange.forNextCall() : null;
		}

		@Override
		public Runnable replaying() {
			ServletRequestAttributes current = current();
			HttpServletResponse response = (current != null) ? current.getResponse() : null;
			return () -> {
				if (response != null) {
					response.setHeader(REPLAYED, "true");
				}
			};
		}

		private static @Nullable ServletRequestAttributes current() {
			return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)
					? attributes : null;
		}

	}

}
