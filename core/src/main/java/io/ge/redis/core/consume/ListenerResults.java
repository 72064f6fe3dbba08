/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.consume;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.call.ResultForm;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ReflectionUtils;

/**
 * Calls listener methods, in whichever form they give their result.
 */
final class ListenerResults {

	private ListenerResults() {
	}

	/**
	 * Calls a method.
	 * @return completes when its work is done; of several values with the last one
	 */
	static CompletionStage<? extends @Nullable Object> of(ResultForm form, Object bean, Method method,
			@Nullable Object[] arguments) throws Exception {
		ReflectionUtils.makeAccessible(method);
		Object result = KotlinDetector.isSuspendingFunction(method) ? Reactive.call(bean, method, arguments)
				: call(bean, method, arguments);
		return switch (form.kind()) {
			case PLAIN -> CompletableFuture.completedFuture(result);
			case FUTURE -> (result != null) ? (CompletionStage<?>) result : CompletableFuture.completedFuture(null);
			case SINGLE, MULTIPLE ->
				(result != null) ? Reactive.follow(form, result) : CompletableFuture.completedFuture(null);
		};
	}

	private static @Nullable Object call(Object bean, Method method, @Nullable Object[] arguments) throws Exception {
		try {
			return method.invoke(bean, arguments);
		}
		catch (InvocationTargetException ex) {
			ReflectionUtils.rethrowException(ex.getTargetException());
			throw ex;
		}
	}

	/**
	 * On Reactor, which may be absent.
	 */
	private static final class Reactive {

		static Object call(Object bean, Method method, @Nullable Object[] arguments) {
			return CoroutinesUtils.invokeSuspendingFunction(method, bean, arguments);
		}

		static CompletionStage<? extends @Nullable Object> follow(ResultForm form, Object result) {
			Publisher<?> publisher = (form.adapter() != null) ? form.adapter().toPublisher(result)
					: (Publisher<?>) result;
			return (form.kind() == ResultForm.Kind.SINGLE) ? Mono.from(publisher).toFuture()
					: Flux.from(publisher).then().toFuture();
		}

	}

}
