// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;

/**
 * Methods as they are written in the source, without what Kotlin's compiler adds: the
 * continuation behind the parameters of a suspending function, and what makes the names
 * of internal functions, and of those with value classes, unique. For methods in Java all
 * is as it is.
 */
public final class SourceMethods {

	/** A hash of value classes, as in {@code place-kULMXt4}, and the name of a module. */
	private static final Pattern ADDED = Pattern.compile("(?<=.)(-[\\w-]{7})?(\\$[^$]+)?$");

	private SourceMethods() {
	}

	public static String name(Method method) {
		String name = method.getName();
		return KotlinDetector.isKotlinType(method.getDeclaringClass()) ? ADDED.matcher(name).replaceFirst("") : name;
	}

	public static int parameterCount(Method method) {
		return method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
	}

	public static Class<?>[] parameterTypes(Method method) {
		return Arrays.copyOf(method.getParameterTypes(), parameterCount(method));
	}

	public static @Nullable Object[] arguments(Method method, @Nullable Object[] arguments) {
		int count = parameterCount(method);
		return (arguments.length > count) ? Arrays.copyOf(arguments, count) : arguments;
	}

}
