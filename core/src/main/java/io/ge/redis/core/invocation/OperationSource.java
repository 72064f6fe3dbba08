// SPDX-License-Identifier: Apache-2.0

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

import io.ge.redis.GuardConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotationPredicates;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the operation of a method, once: on the method, else on its class, on the
 * implementation or an annotated interface, directly or as a meta-annotation. Also caches
 * that there is none.
 */
public abstract class OperationSource<A extends Annotation, O extends GuardedOperation> {

	private final Class<A> annotationType;

	private final Map<Method, Found<O>> found = new ConcurrentHashMap<>(256);

	protected OperationSource(Class<A> annotationType) {
		this.annotationType = annotationType;
	}

	public final Class<A> annotationType() {
		return this.annotationType;
	}

	/**
	 * Returns the annotation that this source reads and the one of parameters, if there
	 * is one.
	 */
	public final List<Class<? extends Annotation>> annotations() {
		Class<? extends Annotation> parameter = parameterAnnotation();
		return (parameter != null) ? List.of(this.annotationType, parameter) : List.of(this.annotationType);
	}

	/**
	 * Returns whether an annotation may be present in a class: on it, its methods, their
	 * parameters, or in its supertypes.
	 */
	public static boolean mayContain(Class<?> targetClass, Class<? extends Annotation> annotation) {
		return DeclaredAnnotations.mayContain(targetClass, annotation);
	}

	/**
	 * Returns whether a source of an annotation would find an operation of a method. The
	 * annotation is found but not read.
	 */
	public static boolean isAnnotated(Class<? extends Annotation> annotation, Method method, Class<?> targetClass) {
		return isReadable(method) && !find(annotation, method, userClass(method, targetClass)).isEmpty();
	}

	/**
	 * Returns the annotation of parameters that only has an effect together with the one
	 * that this source reads.
	 */
	protected @Nullable Class<? extends Annotation> parameterAnnotation() {
		return null;
	}

	/**
	 * Returns the operation of a method.
	 * @return the operation, or {@code null} if the method is not annotated
	 * @throws GuardConfigurationException if the annotation cannot work there
	 */
	public final @Nullable O get(Method method, Class<?> targetClass) {
		if (!isReadable(method)) {
			return null;
		}
		for (Found<O> known = this.found.get(method); known != null; known = known.next()) {
			if (known.targetClass() == targetClass) {
				return known.operation();
			}
		}
		O operation = find(method, targetClass);
		this.found.compute(method, (same, known) -> new Found<>(targetClass, operation, known));
		return operation;
	}

	// Kotlin copies the annotations of an open suspending function to a static method
	private static boolean isReadable(Method method) {
		return method.getDeclaringClass() != Object.class && (!method.isSynthetic() || method.isBridge());
	}

	private @Nullable O find(Method method, Class<?> targetClass) {
		Class<?> userClass = userClass(method, targetClass);
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		List<A> annotations = find(this.annotationType, method, userClass);
		if (annotations.isEmpty()) {
			requireNoParameter(specific, userClass);
			return null;
		}
		return parse(annotations, new GuardedMethod(specific, userClass, this.annotationType));
	}

	// The class of a JDK proxy, such as a client made from an interface, has neither
	// annotations nor parameter names of its own
	private static Class<?> userClass(Method method, Class<?> targetClass) {
		return Proxy.isProxyClass(targetClass) ? method.getDeclaringClass() : ClassUtils.getUserClass(targetClass);
	}

	/**
	 * Finds the annotations that a method has, or its class has for it.
	 */
	public static <A extends Annotation> List<A> find(Class<A> type, Method method, Class<?> userClass) {
		Method specific = AopUtils.getMostSpecificMethod(method, userClass);
		List<A> annotations = annotations(type, specific);
		if (annotations.isEmpty() && specific != method) {
			annotations = annotations(type, method);
		}
		if (annotations.isEmpty() && ClassUtils.isUserLevelMethod(method) && isMeantByClass(specific)) {
			annotations = annotations(type, userClass);
		}
		return annotations;
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

	// Annotations of the nearest place only: an interface does not add to the class
	private static <A extends Annotation> List<A> annotations(Class<A> type, AnnotatedElement element) {
		return MergedAnnotations
			.from(element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
			.stream(type)
			.filter(MergedAnnotationPredicates.firstRunOf(MergedAnnotation::getAggregateIndex))
			.map(MergedAnnotation::synthesize)
			.toList();
	}

	/**
	 * Parses and checks the annotations of a method.
	 * @param annotations one, or several if the annotation is repeatable
	 */
	protected abstract O parse(List<A> annotations, GuardedMethod method);

	/**
	 * The operation of a method for one class.
	 *
	 * @param next the operation for another class
	 */
	private record Found<O>(Class<?> targetClass, @Nullable O operation, @Nullable Found<O> next) {
	}

}
