/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Methods whose plain result is work that Spring MVC does, or waits for, after they have
 * returned. All by name, since Spring's web modules may not be there.
 */
final class LateHandlers {

	private static final Set<String> RESULTS = Set.of("org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final String HANDLER = "org.springframework.web.bind.annotation.RequestMapping";

	private LateHandlers() {
	}

	/**
	 * Returns whether a method is one of them. A {@link Callable} that is no result of a
	 * handler is none.
	 */
	static boolean include(Method method) {
		Class<?> type = method.getReturnType();
		return isResult(type) || type == Callable.class
				&& MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(HANDLER);
	}

	private static boolean isResult(Class<?> type) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (RESULTS.contains(each.getName())) {
				return true;
			}
		}
		return false;
	}

}
