// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.aot;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.ReturnTypes;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * Hints for one class with annotated methods.
 */
final class GuardedClassHints {

	private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

	private final ConfigurableListableBeanFactory beans;

	private final ReflectionHints hints;

	private final Class<?> type;

	GuardedClassHints(ConfigurableListableBeanFactory beans, ReflectionHints hints, Class<?> type) {
		this.beans = beans;
		this.hints = hints;
		this.type = type;
	}

	void register(AnnotatedCall call) {
		Method method = call.method();
		this.hints.registerMethod(method, ExecutableMode.INVOKE);
		if (call.keepsResult()) {
			registerValue(method);
		}
		if (call.hasJsonArguments()) {
			for (Type parameter : method.getGenericParameterTypes()) {
				registerValue(parameter);
			}
		}
		for (Class<?> exception : call.exceptions()) {
			this.hints.registerType(exception, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
		}
		call.texts(AnnotatedCall.ALTERNATIVES).forEach((text) -> registerAlternative(resolve(text)));
		call.texts(AnnotatedCall.EXPRESSIONS).forEach((text) -> registerExpression(method, resolve(text)));
	}

	void registerValue(Method method) {
		registerValue(ReturnTypes.declared(method));
	}

	private void registerValue(Type value) {
		this.binding.registerReflectionHints(this.hints, GenericTypeResolver.resolveType(value, this.type));
	}

	// The start decides which of several applies
	private void registerAlternative(String name) {
		ReflectionUtils.doWithMethods(this.type, (method) -> this.hints.registerMethod(method, ExecutableMode.INVOKE),
				(method) -> method.getName().equals(name) && method.getDeclaringClass() != Object.class);
	}

	private void registerExpression(Method method, String text) {
		ExpressionReach reach = ExpressionReach.of(text);
		if (reach == null) {
			return;
		}
		List<ResolvableType> known = new ArrayList<>();
		known.add(ResolvableType.forClass(MethodExpression.CallRoot.class));
		known.add(ResolvableType.forClass(this.type));
		known.add(ResolvableType.forMethodReturnType(method, this.type));
		for (int i = 0; i < method.getParameterCount(); i++) {
			known.add(ResolvableType.forMethodParameter(method, i, this.type));
		}
		for (String bean : reach.beans()) {
			Class<?> beanType = this.beans.containsBean(bean) ? this.beans.getType(bean, false) : null;
			known.add(ResolvableType.forClass((beanType != null) ? beanType : Object.class));
		}
		reach.registerHints(this.hints, known, this.beans.getBeanClassLoader());
	}

	// The start reports a placeholder that has no value by then
	private String resolve(String text) {
		try {
			String resolved = this.beans.resolveEmbeddedValue(text);
			return (resolved != null) ? resolved : text;
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

}
