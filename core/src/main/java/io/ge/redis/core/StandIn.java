// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.NumberUtils;

/**
 * Replaces the API of a pattern that is switched off: needs no Redis, and answers at once
 * in the calling thread. A method is answered by the first of these rules:
 * <ol>
 * <li>the answer that is given for its name, or for that without {@code Async}</li>
 * <li>work that is passed as the last argument, a {@link Supplier}, is run</li>
 * <li>a default method runs</li>
 * <li>the result is empty: {@code false}, no element, the stand-in of an interface; a
 * number is the amount that was passed, a primitive last argument, else 0</li>
 * </ol>
 * Results of asynchronous methods are completed.
 */
public final class StandIn implements InvocationHandler {

	private static final String ASYNC = "Async";

	private final Class<?> api;

	private final Map<String, Answer> answers;

	private StandIn(Class<?> api, Map<String, Answer> answers) {
		this.api = api;
		this.answers = answers;
	}

	/**
	 * Creates a stand-in.
	 * @param answers by the names of methods, for results that are not empty
	 */
	public static <T> T of(Class<T> api, Map<String, Answer> answers) {
		return api
			.cast(Proxy.newProxyInstance(api.getClassLoader(), new Class<?>[] { api }, new StandIn(api, answers)));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] passed) throws Throwable {
		@Nullable Object[] arguments = (passed != null) ? passed : new Object[0];
		if (method.getDeclaringClass() == Object.class) {
			return switch (method.getName()) {
				case "equals" -> proxy == arguments[0];
				case "hashCode" -> System.identityHashCode(proxy);
				default -> "Stand-in of " + this.api.getSimpleName() + ", which is switched off";
			};
		}
		ResolvableType type = ResolvableType.forMethodReturnType(method);
		if (!CompletionStage.class.isAssignableFrom(type.toClass())) {
			return answer(proxy, method, type, arguments);
		}
		try {
			Object answer = answer(proxy, method, type.getGeneric(), arguments);
			return (answer instanceof CompletionStage<?>) ? answer : CompletableFuture.completedFuture(answer);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private @Nullable Object answer(Object proxy, Method method, ResolvableType type, @Nullable Object[] arguments)
			throws Throwable {
		String name = method.getName();
		Answer answer = this.answers.get(name);
		if (answer == null && name.endsWith(ASYNC)) {
			answer = this.answers.get(name.substring(0, name.length() - ASYNC.length()));
		}
		if (answer != null) {
			return answer.to(arguments);
		}
		if (arguments.length > 0 && arguments[arguments.length - 1] instanceof Supplier<?> work) {
			return work.get();
		}
		return method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, arguments)
				: empty(proxy, method, ClassUtils.resolvePrimitiveIfNecessary(type.toClass()), arguments);
	}

	private @Nullable Object empty(Object proxy, Method method, Class<?> type, @Nullable Object[] arguments) {
		if (type == Boolean.class) {
			return false;
		}
		if (Number.class.isAssignableFrom(type)) {
			int last = arguments.length - 1;
			boolean amount = last >= 0 && method.getParameterTypes()[last].isPrimitive();
			return (amount && type.isInstance(arguments[last])) ? arguments[last]
					: NumberUtils.parseNumber("0", type.asSubclass(Number.class));
		}
		if (type == Optional.class) {
			return Optional.empty();
		}
		if (type == List.class) {
			return List.of();
		}
		if (type.isInterface() && type.isInstance(proxy)) {
			return proxy;
		}
		if (type == Map.class) {
			return Map.of();
		}
		return type.isInterface() ? of(type, Map.of()) : null;
	}

	@FunctionalInterface
	public interface Answer {

		@Nullable Object to(@Nullable Object[] arguments) throws Exception;

	}

}
