// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * A method as declared by the user's class, with the annotation that is being read from
 * it. Gives messages their place.
 *
 * @param method the most specific method
 * @param targetClass the class of the bean, without proxies
 */
public record GuardedMethod(Method method, Class<?> targetClass, Class<? extends Annotation> annotationType) {

	/**
	 * Returns the name that a guard has when the annotation gives none.
	 * @return {@code SimpleClassName.methodName}
	 */
	public String defaultName() {
		return owner().getSimpleName() + "." + SourceMethods.name(this.method);
	}

	/**
	 * Returns the class that a user knows: the interface of a generated implementation,
	 * such as of a repository.
	 */
	Class<?> owner() {
		Class<?> declaring = this.method.getDeclaringClass();
		return declaring.isAssignableFrom(this.targetClass) ? ClassUtils.getUserClass(this.targetClass) : declaring;
	}

	/**
	 * Returns the method for people.
	 * @return {@code package.Class.method(Type, Type)}
	 */
	public String displayName() {
		String parameters = Arrays.stream(SourceMethods.parameterTypes(this.method))
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		return ClassUtils.getUserClass(this.targetClass).getName() + "." + SourceMethods.name(this.method) + "("
				+ parameters + ")";
	}

	/**
	 * Returns what an attribute of the annotation names.
	 * @param named throws {@link NotConfiguredException} if there is nothing of the name,
	 * which is a problem of the method
	 */
	public <T> T configured(Supplier<T> named) {
		try {
			return named.get();
		}
		catch (NotConfiguredException ex) {
			throw ex.of(this);
		}
	}

	public GuardConfigurationException problem(String problem, String remedy) {
		return problem(problem, remedy, null);
	}

	public GuardConfigurationException problem(String problem, String remedy, @Nullable Throwable cause) {
		return new GuardConfigurationException("@" + this.annotationType.getSimpleName() + " on " + displayName(),
				problem, remedy, cause);
	}

}
