/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ReflectionUtils;

/**
 * Kotlin's value classes. Its compiler passes what they wrap wherever it can, and the
 * object where it cannot: as an argument that may be {@code null}, in a list. Both are
 * the same value, and must be the same key.
 */
final class ValueClasses {

	/** The method that unwraps, by class. */
	private static final ClassValue<Optional<Method>> UNBOX = new ClassValue<>() {

		@Override
		protected Optional<Method> computeValue(Class<?> type) {
			Method unbox = KotlinDetector.isInlineClass(type) ? ReflectionUtils.findMethod(type, "unbox-impl") : null;
			if (unbox != null) {
				ReflectionUtils.makeAccessible(unbox);
			}
			return Optional.ofNullable(unbox);
		}

	};

	private ValueClasses() {
	}

	/**
	 * Returns what is left of a value without its boxes.
	 * @param value a value of any class
	 * @return what it wraps, or the value itself
	 */
	static @Nullable Object unwrap(@Nullable Object value) {
		Object unwrapped = value;
		while (unwrapped != null) {
			Method unbox = UNBOX.get(unwrapped.getClass()).orElse(null);
			if (unbox == null) {
				return unwrapped;
			}
			unwrapped = ReflectionUtils.invokeMethod(unbox, unwrapped);
		}
		return null;
	}

}
