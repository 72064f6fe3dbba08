// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.autoconfigure.aot;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.StringUtils;

/**
 * The members that an expression reaches by reflection: all methods and fields of the
 * known types with a name that occurs in it. Members of their types follow in the same
 * way.
 */
final class ExpressionReach {

	private final Set<String> names = new HashSet<>();

	private final Set<String> beans = new LinkedHashSet<>();

	private final Set<String> types = new LinkedHashSet<>();

	private ExpressionReach(SpelNode node) {
		collect(node);
	}

	/**
	 * Parses an expression; {@code null} if it does not parse, which fails the start, or
	 * reaches nothing.
	 */
	static @Nullable ExpressionReach of(String text) {
		try {
			SpelNode node = new SpelExpressionParser().parseRaw(text).getAST();
			return (node instanceof VariableReference || node instanceof Literal) ? null : new ExpressionReach(node);
		}
		catch (ParseException | IllegalStateException ex) {
			return null;
		}
	}

	Set<String> beans() {
		return this.beans;
	}

	void registerHints(ReflectionHints hints, Iterable<ResolvableType> known, @Nullable ClassLoader classLoader) {
		Deque<Class<?>> pending = new ArrayDeque<>();
		Set<Class<?>> seen = new HashSet<>();
		known.forEach((type) -> reach(type, pending, seen));
		this.types.forEach((name) -> reach(find(name, classLoader), pending, seen));
		while (!pending.isEmpty()) {
			Class<?> type = pending.remove();
			for (Method method : type.getMethods()) {
				if (isMeant(method)) {
					hints.registerMethod(method, ExecutableMode.INVOKE);
					reach(ResolvableType.forMethodReturnType(method, type), pending, seen);
				}
			}
			for (Field field : type.getFields()) {
				if (this.names.contains(field.getName())) {
					hints.registerField(field);
					reach(ResolvableType.forField(field, type), pending, seen);
				}
			}
		}
	}

	private static void reach(ResolvableType type, Deque<Class<?>> pending, Set<Class<?>> seen) {
		Class<?> raw = type.resolve();
		if (raw == null || raw == Object.class || raw.isPrimitive()) {
			return;
		}
		if (raw.isArray()) {
			reach(type.getComponentType(), pending, seen);
			return;
		}
		if (seen.add(raw)) {
			pending.add(raw);
		}
		for (ResolvableType generic : type.getGenerics()) {
			Class<?> argument = generic.resolve();
			if (argument != null && !seen.contains(argument)) {
				reach(generic, pending, seen);
			}
		}
	}

	private static ResolvableType find(String name, @Nullable ClassLoader classLoader) {
		try {
			return ResolvableType.forType((Type) new StandardTypeLocator(classLoader).findType(name));
		}
		catch (EvaluationException ex) {
			return ResolvableType.NONE;
		}
	}

	// A property is read by its getter, or by a method of its own name, as of a record
	private boolean isMeant(Method method) {
		String name = method.getName();
		return this.names.contains(name) || (method.getParameterCount() == 0
				&& (isProperty(name, "get".length(), "get") || isProperty(name, "is".length(), "is")));
	}

	private boolean isProperty(String method, int length, String prefix) {
		if (!method.startsWith(prefix) || method.length() == length) {
			return false;
		}
		String property = method.substring(length);
		return this.names.contains(StringUtils.uncapitalize(property)) || this.names.contains(property)
				|| this.names.contains(StringUtils.uncapitalizeAsProperty(property));
	}

	private void collect(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property) {
			this.names.add(property.getName());
		}
		else if (node instanceof MethodReference method) {
			this.names.add(method.getName());
		}
		else if (node instanceof BeanReference) {
			this.beans.add(node.toStringAST().replaceAll("[@&'\"]", ""));
		}
		else if (node instanceof TypeReference) {
			this.types.add(node.getChild(0).toStringAST());
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			if (!(node instanceof TypeReference)) {
				collect(node.getChild(i));
			}
		}
	}

}
