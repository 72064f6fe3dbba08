// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * The annotations on a class, its supertypes, all their methods and parameters, with
 * their meta-annotations. Every guard looks at every bean when an application starts:
 * collecting once per class spares each of them a search of the type hierarchy for each
 * method.
 */
final class DeclaredAnnotations {

	private static final Map<Class<?>, Set<Class<?>>> BY_CLASS = new ConcurrentReferenceHashMap<>(256);

	private static final Map<Class<?>, Set<Class<?>>> BY_ANNOTATION = new ConcurrentReferenceHashMap<>(64);

	private DeclaredAnnotations() {
	}

	/**
	 * Returns whether an annotation may be present somewhere in the hierarchy of a class.
	 * @return {@code false} if it is certainly not; {@code true} for a class that cannot
	 * be introspected
	 */
	static boolean mayContain(Class<?> type, Class<? extends Annotation> annotation) {
		try {
			return contains(type, annotation);
		}
		catch (LinkageError | TypeNotPresentException ex) {
			return true;
		}
	}

	private static boolean contains(@Nullable Class<?> type, Class<? extends Annotation> annotation) {
		if (type == null || type == Object.class) {
			return false;
		}
		if (BY_CLASS.computeIfAbsent(type, DeclaredAnnotations::collect).contains(annotation)
				|| contains(type.getSuperclass(), annotation)) {
			return true;
		}
		for (Class<?> implemented : type.getInterfaces()) {
			if (contains(implemented, annotation)) {
				return true;
			}
		}
		return false;
	}

	private static Set<Class<?>> collect(Class<?> type) {
		if (type.getName().startsWith("java.")) {
			return Set.of();
		}
		Set<Class<?>> all = new HashSet<>();
		collect(type.getDeclaredAnnotations(), all);
		for (Method method : type.getDeclaredMethods()) {
			collect(method.getDeclaredAnnotations(), all);
			for (Annotation[] parameter : method.getParameterAnnotations()) {
				collect(parameter, all);
			}
		}
		return Set.copyOf(all);
	}

	private static void collect(Annotation[] annotations, Set<Class<?>> all) {
		for (Annotation annotation : annotations) {
			Class<? extends Annotation> type = annotation.annotationType();
			Set<Class<?>> known = BY_ANNOTATION.get(type);
			if (known == null) {
				Set<Class<?>> found = new HashSet<>();
				expand(type, found);
				known = Set.copyOf(found);
				BY_ANNOTATION.put(type, known);
			}
			all.addAll(known);
		}
	}

	/**
	 * Adds an annotation, those on it and, if it is the container of a repeatable one,
	 * that one.
	 */
	private static void expand(Class<?> annotation, Set<Class<?>> all) {
		if (!all.add(annotation)) {
			return;
		}
		for (Annotation meta : annotation.getDeclaredAnnotations()) {
			expand(meta.annotationType(), all);
		}
		Method value = ClassUtils.getMethodIfAvailable(annotation, "value");
		Class<?> contained = (value != null) ? value.getReturnType().getComponentType() : null;
		if (contained != null && contained.isAnnotation()) {
			expand(contained, all);
		}
	}

}
