// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.problem;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.ge.redis.GeRedisException;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.annotation.ExceptionHandlerMappingInfo;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/**
 * The application's own {@code @ExceptionHandler} methods, on every web stack.
 */
final class ApplicationHandlers {

	private final Supplier<List<ControllerAdviceBean>> advice;

	private final Map<Class<?>, ExceptionHandlerMethodResolver> handlers = new ConcurrentHashMap<>();

	ApplicationHandlers(ApplicationContext context) {
		this.advice = SingletonSupplier.of(() -> ControllerAdviceBean.findAnnotatedBeans(context));
	}

	/**
	 * Returns whether one is for a type of ours: not one that catches everything.
	 */
	boolean handle(@Nullable Class<?> controller, GeRedisException exception) {
		return anyHandles(controller, exception, GeRedisException.class);
	}

	boolean handleErrors(@Nullable Class<?> controller, Error error) {
		return anyHandles(controller, error, Throwable.class);
	}

	private boolean anyHandles(@Nullable Class<?> controller, Throwable exception, Class<?> of) {
		if (controller != null && handles(controller, exception, of)) {
			return true;
		}
		for (ControllerAdviceBean bean : this.advice.get()) {
			Class<?> type = bean.getBeanType();
			if (type != null && bean.isApplicableToBeanType(controller) && handles(type, exception, of)) {
				return true;
			}
		}
		return false;
	}

	private boolean handles(Class<?> type, Throwable exception, Class<?> of) {
		ExceptionHandlerMappingInfo found = this.handlers.computeIfAbsent(type, ExceptionHandlerMethodResolver::new)
			.resolveExceptionMapping(exception, MediaType.ALL);
		return found != null && found.getExceptionTypes()
			.stream()
			.anyMatch((handled) -> of.isAssignableFrom(handled) && handled.isInstance(exception));
	}

}
