/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Which return types can be guarded.
 */
public final class ReturnTypes {

	private ReturnTypes() {
	}

	/**
	 * Refuses methods whose work goes on after they have returned: the guard would end
	 * too early.
	 * @param method the annotated method
	 * @throws GuardConfigurationException if the method returns a future or a publisher
	 * or is a suspending function
	 */
	public static void requireSynchronous(GuardedMethod method) {
		Class<?> type = method.method().getReturnType();
		requireSynchronous(method, type);
		if (isSuspending(method)) {
			throw problem(method, type);
		}
	}

	/**
	 * Refuses methods that return something whose work goes on after they have returned.
	 * @param method the annotated method
	 * @param type what it returns, or what that holds
	 * @throws GuardConfigurationException if the type is a future or a publisher
	 */
	public static void requireSynchronous(GuardedMethod method, Class<?> type) {
		boolean asynchronous = CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)
				|| Flow.Publisher.class.isAssignableFrom(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
		if (asynchronous) {
			throw problem(method, type);
		}
	}

	private static GuardConfigurationException problem(GuardedMethod method, Class<?> type) {
		return method.problem(
				"the return type " + type.getSimpleName()
						+ " cannot be guarded, because its work goes on after the method has returned.",
				"Return the plain value, or call the programmatic API inside the asynchronous work.");
	}

	private static boolean isSuspending(GuardedMethod method) {
		Class<?>[] parameters = method.method().getParameterTypes();
		return parameters.length > 0
				&& parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation");
	}

}
