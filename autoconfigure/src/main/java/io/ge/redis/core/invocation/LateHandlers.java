/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Methods whose plain result is work that Spring MVC does, or waits for, after they have
 * returned. All by name, since Spring's web modules may not be there.
 */
final class LateHandlers {

	private static final Set<String> RESULTS = Set.of("org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private static final String ENTITY = "org.springframework.http.HttpEntity";

	private static final String HANDLER = "org.springframework.web.bind.annotation.RequestMapping";

	private LateHandlers() {
	}

	/**
	 * Returns what a method returns, also as the body of an entity, that is worked on
	 * afterwards. A {@link Callable} that is no result of a handler is none.
	 * @return the type, or {@code null} if the method is none of them
	 */
	static @Nullable Class<?> lateResult(Method method) {
		Class<?> type = method.getReturnType();
		if (type == Callable.class) {
			return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(HANDLER) ? type : null;
		}
		Class<?> entity = find(type, Set.of(ENTITY));
		Class<?> result = (entity != null)
				? ResolvableType.forMethodReturnType(method).as(entity).getGeneric(0).resolve(Object.class) : type;
		return (find(result, RESULTS) != null) ? result : null;
	}

	private static @Nullable Class<?> find(Class<?> type, Set<String> names) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (names.contains(each.getName())) {
				return each;
			}
		}
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.filter((implemented) -> names.contains(implemented.getName()))
			.findFirst()
			.orElse(null);
	}

}
