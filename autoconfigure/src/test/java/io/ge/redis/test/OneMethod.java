// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.StubMethod;

import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Classes of beans that have one annotated method, so that a test can list what is
 * refused as the methods of one interface.
 */
public final class OneMethod {

	private OneMethod() {
	}

	/**
	 * Returns a class with one method, as the interface declares it, or with all of its
	 * overloads. It has a class loader of its own, which the application has to use too.
	 * @param declarations the interface, whose annotations the class has too
	 * @param name the name of the method; that of the class is the same, in upper case at
	 * the front, in the package of the interface
	 */
	public static Class<?> of(Class<?> declarations, String name) {
		List<Method> methods = Arrays.stream(declarations.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.toList();
		assertThat(methods).as(name).isNotEmpty();
		DynamicType.Builder<?> type = new ByteBuddy().subclass(Object.class)
			.name(declarations.getPackageName() + "." + StringUtils.capitalize(name))
			.annotateType(declarations.getAnnotations());
		for (Method method : methods) {
			type = with(type, method);
		}
		return type.make().load(declarations.getClassLoader()).getLoaded();
	}

	private static DynamicType.Builder<?> with(DynamicType.Builder<?> type, Method method) {
		DynamicType.Builder.MethodDefinition.ParameterDefinition<?> defined = type.defineMethod(method.getName(),
				method.getGenericReturnType(), Visibility.PUBLIC);
		for (Parameter parameter : method.getParameters()) {
			defined = defined.withParameter(parameter.getParameterizedType(), parameter.getName())
				.annotateParameter(parameter.getAnnotations());
		}
		return defined.intercept(StubMethod.INSTANCE).annotateMethod(method.getAnnotations());
	}

}
