/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardConfigurationException;
import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ResolvableType;

/**
 * The results of skipped calls.
 */
final class SkippedCalls {

	private SkippedCalls() {
	}

	/**
	 * Returns the result of calls of a method that are passed over.
	 * @throws GuardConfigurationException if there is nothing that the method could
	 * return
	 */
	static @Nullable Object result(ResultForm form, GuardedMethod method) {
		MethodParameter result = new MethodParameter(method.method(), -1);
		requireNullable(result.getParameterType(), method);
		return switch (form.kind()) {
			case PLAIN -> empty(result.getParameterType());
			case FUTURE -> CompletableFuture
				.completedFuture(empty(ResolvableType.forMethodParameter(result).getGeneric(0).toClass()));
			case SINGLE, MULTIPLE -> nothing(form, result.getParameterType(), method);
		};
	}

	private static void requireNullable(Class<?> type, GuardedMethod method) {
		if (type.isPrimitive() && type != void.class) {
			throw method.problem("onNotAcquired = SKIP has nothing to return for the primitive " + type + ".",
					"Return the wrapper type, which is null when the call was passed over, or an Optional.");
		}
	}

	private static @Nullable Object empty(Class<?> type) {
		return (type == Optional.class) ? Optional.empty() : null;
	}

	private static Object nothing(ResultForm form, Class<?> type, GuardedMethod method) {
		ReactiveAdapter adapter = form.adapter();
		if (adapter == null) {
			return form.publishing(empty(type));
		}
		if (!adapter.supportsEmpty()) {
			throw method.problem("onNotAcquired = SKIP has nothing to return for "
					+ adapter.getReactiveType().getSimpleName() + ", which is never empty.",
					"Return a type that may be empty, such as Mono.");
		}
		return form.publishing(null);
	}

}
