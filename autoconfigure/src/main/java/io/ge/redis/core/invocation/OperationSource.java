/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the operation of a method, once: on the method, else on its class, on the
 * implementation or an annotated interface, directly or as a meta-annotation. The answer
 * "none" is remembered too.
 *
 * @param <A> the annotation
 * @param <O> the operation
 */
public abstract class OperationSource<A extends Annotation, O extends GuardedOperation> {

	private final Class<A> annotationType;

	private final Map<MethodClassKey, Found<O>> found = new ConcurrentHashMap<>(256);

	protected OperationSource(Class<A> annotationType) {
		this.annotationType = annotationType;
	}

	/**
	 * Returns the annotation that this source reads.
	 * @return the annotation's type
	 */
	public final Class<A> annotationType() {
		return this.annotationType;
	}

	/**
	 * Returns whether a class may have annotated methods at all.
	 * @param targetClass the class
	 * @return {@code false} if there is certainly none
	 */
	public final boolean isCandidate(Class<?> targetClass) {
		return DeclaredAnnotations.mayContain(targetClass, this.annotationType) || mayHaveParameter(targetClass);
	}

	private boolean mayHaveParameter(Class<?> targetClass) {
		Class<? extends Annotation> parameter = parameterAnnotation();
		return parameter != null && DeclaredAnnotations.mayContain(targetClass, parameter);
	}

	/**
	 * Returns the annotation of parameters that only has an effect together with the one
	 * that this source reads.
	 * @return the annotation's type, or {@code null} if there is none
	 */
	protected @Nullable Class<? extends Annotation> parameterAnnotation() {
		return null;
	}

	/**
	 * Returns the operation of a method.
	 * @param method the method, possibly of an interface
	 * @param targetClass the class of the bean
	 * @return the operation, or {@code null} if the method is not annotated
	 * @throws GuardConfigurationException if the annotation cannot work there
	 */
	public final @Nullable O get(Method method, Class<?> targetClass) {
		if (method.getDeclaringClass() == Object.class || isAddedByCompiler(method)) {
			return null;
		}
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Found<O> known = this.found.get(key);
		if (known == null) {
			known = new Found<>(find(method, targetClass));
			this.found.put(key, known);
		}
		return known.operation();
	}

	// Kotlin copies the annotations of an open suspending function to a static method
	private static boolean isAddedByCompiler(Method method) {
		return method.isSynthetic() && !method.isBridge();
	}

	private @Nullable O find(Method method, Class<?> targetClass) {
		// The class of a JDK proxy, such as a client made from an interface, has neither
		// annotations nor parameter names of its own
		Class<?> userClass = Proxy.isProxyClass(targetClass) ? method.getDeclaringClass()
				: ClassUtils.getUserClass(targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		List<A> annotations = annotations(specific);
		if (annotations.isEmpty() && specific != method) {
			annotations = annotations(method);
		}
		if (annotations.isEmpty() && ClassUtils.isUserLevelMethod(method) && isMeantByClass(specific)) {
			annotations = annotations(userClass);
		}
		if (annotations.isEmpty()) {
			requireNoParameter(specific, userClass);
			return null;
		}
		return parse(annotations, new GuardedMethod(specific, userClass, this.annotationType));
	}

	private void requireNoParameter(Method method, Class<?> userClass) {
		Class<? extends Annotation> parameter = parameterAnnotation();
		if (parameter != null && Arrays.stream(method.getParameterAnnotations())
			.flatMap(Arrays::stream)
			.anyMatch(parameter::isInstance)) {
			String annotation = "@" + this.annotationType.getSimpleName();
			throw new GuardedMethod(method, userClass, parameter).problem(
					"the method has no " + annotation + ", so the parameter would never be set.",
					"Add " + annotation + " to the method, or remove @" + parameter.getSimpleName() + ".");
		}
	}

	private static boolean isMeantByClass(Method method) {
		return Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !ReflectionUtils.isObjectMethod(method);
	}

	// Annotations of the nearest place only: those on an interface do not add to those on
	// the class
	private List<A> annotations(AnnotatedElement element) {
		return MergedAnnotations
			.from(element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
			.stream(this.annotationType)
			.filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
			.map(MergedAnnotation::synthesize)
			.toList();
	}

	/**
	 * Parses and checks the annotations of a method.
	 * @param annotations one, or several if the annotation is repeatable
	 * @param method the method
	 * @return the operation
	 */
	protected abstract O parse(List<A> annotations, GuardedMethod method);

	private record Found<O>(@Nullable O operation) {
	}

}
