// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method of the same class that answers in the place of a refused one. It has the same
 * parameters, optionally followed by the refusal. Its return type is the same primitive
 * type or {@code void}, else an assignable type.
 */
public final class FallbackMethod {

	private final Method method;

	private final boolean takesRefusal;

	private FallbackMethod(Method method, boolean takesRefusal) {
		this.method = method;
		this.takesRefusal = takesRefusal;
	}

	/**
	 * Finds the fallback of a method.
	 * @param refusal the exception that it may take as a last parameter
	 * @throws GuardConfigurationException if there is none that fits
	 */
	public static FallbackMethod find(GuardedMethod guarded, String name, Class<? extends Throwable> refusal) {
		return find(guarded, "fallback", name, refusal);
	}

	/**
	 * Finds a method that answers in the place of a guarded one.
	 * @param refusal the exception that it may take as a last parameter
	 * @throws GuardConfigurationException if there is none that fits
	 */
	public static FallbackMethod find(GuardedMethod guarded, String attribute, String name,
			Class<? extends Throwable> refusal) {
		boolean suspending = KotlinDetector.isSuspendingFunction(guarded.method());
		Class<?>[] parameters = SourceMethods.parameterTypes(guarded.method());
		Class<?>[] withRefusal = Arrays.copyOf(parameters, parameters.length + 1);
		withRefusal[parameters.length] = refusal;
		for (Class<?> type = guarded.targetClass(); type != null; type = type.getSuperclass()) {
			for (Method candidate : ReflectionUtils.getDeclaredMethods(type)) {
				if (candidate.isSynthetic() || !SourceMethods.name(candidate).equals(name)
						|| candidate.equals(guarded.method())
						|| KotlinDetector.isSuspendingFunction(candidate) != suspending
						|| !fits(ReturnTypes.result(guarded).toClass(), result(candidate, guarded))) {
					continue;
				}
				Class<?>[] offered = SourceMethods.parameterTypes(candidate);
				boolean same = Arrays.equals(offered, parameters);
				if (same || takes(offered, withRefusal)) {
					ReflectionUtils.makeAccessible(candidate);
					return new FallbackMethod(candidate, !same);
				}
			}
		}
		throw guarded.problem("there is no " + attribute + " method '" + name + "' that fits.",
				"Add to " + guarded.targetClass().getSimpleName() + ": " + (suspending ? "suspend " : "")
						+ ReturnTypes.result(guarded).toClass().getSimpleName() + " " + name
						+ " with the same parameters, optionally followed by a " + refusal.getSimpleName() + ".");
	}

	private static Class<?> result(Method candidate, GuardedMethod guarded) {
		return ReturnTypes.result(new GuardedMethod(candidate, guarded.targetClass(), guarded.annotationType()))
			.toClass();
	}

	// An object in the place of a primitive may be null
	private static boolean fits(Class<?> wanted, Class<?> offered) {
		return (wanted.isPrimitive() || offered == void.class) ? wanted == offered
				: ClassUtils.isAssignable(wanted, offered);
	}

	private static boolean takes(Class<?>[] offered, Class<?>[] wanted) {
		if (offered.length != wanted.length) {
			return false;
		}
		int last = wanted.length - 1;
		return Arrays.equals(Arrays.copyOf(offered, last), Arrays.copyOf(wanted, last))
				&& Throwable.class.isAssignableFrom(offered[last]) && offered[last].isAssignableFrom(wanted[last]);
	}

	/**
	 * Calls the fallback on the bean itself, not through its proxy. A suspending function
	 * runs in the context of its caller.
	 * @param refusal the refusal, made only if the fallback takes it
	 * @return the result of the fallback, a publisher if it is a suspending function
	 */
	public @Nullable Object invoke(MethodInvocation invocation, Supplier<? extends Throwable> refusal)
			throws Throwable {
		@Nullable Object[] arguments = invocation.getArguments();
		if (this.takesRefusal) {
			arguments = with(refusal.get(), SourceMethods.parameterCount(this.method) - 1, arguments);
		}
		return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), this.method, arguments);
	}

	// A continuation comes last
	private static @Nullable Object[] with(Object added, int position, @Nullable Object[] arguments) {
		@Nullable Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
		System.arraycopy(arguments, position, all, position + 1, arguments.length - position);
		all[position] = added;
		return all;
	}

}
