// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheRegistry;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Settings;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;

/**
 * Reads and checks what the annotations of readers and writers have in common.
 */
final class CacheAttributes {

	private static final Pattern RESULT = Pattern.compile("#result\\b");

	private final CacheRegistry definitions;

	private final CacheCodec codec;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	private final AnnotationTransactionAttributeSource transactions = new AnnotationTransactionAttributeSource(false);

	CacheAttributes(CacheRegistry definitions, CacheCodec codec, AttributeReader attributes,
			ExpressionCompiler expressions) {
		this.definitions = definitions;
		this.codec = codec;
		this.attributes = attributes;
		this.expressions = expressions;
		this.transactions.setEmbeddedValueResolver(attributes::resolve);
	}

	TransactionAttributeSource transactions() {
		return this.transactions;
	}

	String cache(GuardedMethod method, String value) {
		String name = this.attributes.text(method, "cache", value);
		if (name == null) {
			throw method.problem("it has no cache.", "Name one with cache = \"...\".");
		}
		this.definitions.requireAllowed(name, method::problem);
		return name;
	}

	MethodExpression key(GuardedMethod method, String value) {
		String text = this.attributes.text(method, "key", value);
		if (text == null) {
			throw method.problem("it has no key.", "Write an expression over the parameters, such as key = \"#id\".");
		}
		boolean ofArgument = Arrays.stream(method.method().getParameters())
			.anyMatch((parameter) -> parameter.getName().equals("result"));
		if (RESULT.matcher(text).find() && !ofArgument) {
			throw method.problem(
					"key = \"" + text + "\" uses #result, but the key must be known before the method has run.",
					"Take the key from the arguments.");
		}
		return this.expressions.compileKey(method, "key", text);
	}

	/**
	 * Returns the expression for several keys.
	 * @return the expression, or {@code null} if there is to be one key
	 */
	@Nullable String keys(GuardedMethod method, String key, String value) {
		String text = this.attributes.text(method, "keys", value);
		if (text != null && !key.isBlank()) {
			throw method.problem("key and keys are both there.",
					"Leave key out: each element of keys is the key of one entry.");
		}
		return text;
	}

	@Nullable MethodExpression condition(GuardedMethod method, String value) {
		String text = this.attributes.text(method, "condition", value);
		return (text != null) ? this.expressions.compile(method, "condition", text) : null;
	}

	@Nullable MethodExpression ofResult(GuardedMethod method, String attribute, String value) {
		String text = this.attributes.text(method, attribute, value);
		return (text != null) ? this.expressions.compileWithResult(method, attribute, text) : null;
	}

	/**
	 * Returns the value that a writer gives. If it is what the method returns, the cache
	 * has its type.
	 * @return the expression, or {@code null} for the result of the method
	 */
	@Nullable MethodExpression value(GuardedMethod method, String cache, String value, String use) {
		MethodExpression expression = ofResult(method, "value", value);
		if (expression == null) {
			if (returnsNothing(method)) {
				throw method.problem("the method returns nothing that could be " + use + ".",
						"Let it return the new value, or say what it is with value = \"#argument\".");
			}
			returnType(method, cache);
		}
		return expression;
	}

	/**
	 * Returns the tags of entries, and declares them for the cache.
	 * @param withResult whether they may be made of the result of the method
	 */
	@Nullable MethodExpression tags(GuardedMethod method, String cache, String value, boolean withResult) {
		String text = this.attributes.text(method, "tags", value);
		if (text == null) {
			return null;
		}
		this.definitions.declareTagged(cache);
		return (withResult ? this.expressions.compileWithResult(method, "tags", text)
				: this.expressions.compile(method, "tags", text))
			.asKey();
	}

	void ttl(GuardedMethod method, String cache, String value) {
		this.definitions.declareTtl(cache, this.attributes.duration(method, "ttl", value), method);
	}

	void permanent(GuardedMethod method, String cache, boolean value) {
		this.definitions.declarePermanent(cache, value, method);
	}

	void negativeTtl(GuardedMethod method, String cache, String value) {
		this.definitions.declareNegativeTtl(cache, this.attributes.duration(method, "negativeTtl", value), method);
	}

	void writesThrough(GuardedMethod method, String cache) {
		this.definitions.writers().declareWriteThrough(cache, method);
	}

	void writesBehind(GuardedMethod method, String cache) {
		this.definitions.writers().declareWriteBehind(cache, method);
	}

	/**
	 * Returns the type of the values that a method returns, and declares it for the
	 * cache.
	 */
	CacheType returnType(GuardedMethod method, String cache) {
		return type(method, cache, valueType(method));
	}

	CacheType type(GuardedMethod method, String cache, Type valueType) {
		CacheType type = this.codec.type(valueType);
		String obstacle = this.codec.obstacle(type);
		if (obstacle != null) {
			throw method.problem(
					"values of the return type " + type.javaType().toCanonical() + " cannot be read back: " + obstacle
							+ ".",
					"Return a type that Jackson can read, such as a record, or a collection of a concrete type.");
		}
		this.definitions.declareType(cache, type, method);
		return type;
	}

	/**
	 * Returns the form of a method's result, of which several values are one list.
	 */
	static ResultForm form(GuardedMethod method) {
		return ReturnTypes.form(method).collected();
	}

	/**
	 * Returns the form of a writer's result. Several values pass one by one, unless they
	 * are asked for as a whole.
	 */
	static ResultForm form(GuardedMethod method, @Nullable MethodExpression... ofResult) {
		boolean asked = Arrays.stream(ofResult)
			.anyMatch((expression) -> expression != null && RESULT.matcher(expression.text()).find());
		return asked ? form(method) : ReturnTypes.form(method);
	}

	static boolean returnsNothing(GuardedMethod method) {
		Type type = promisedType(method);
		return type == void.class || type == Void.class || type.getTypeName().equals("kotlin.Unit");
	}

	static boolean returnsOptional(GuardedMethod method) {
		return ResolvableType.forType(promisedType(method)).resolve() == Optional.class;
	}

	/**
	 * Returns the type of what a method returns, now or later: of several values a list.
	 */
	static Type promisedType(GuardedMethod method) {
		return ReturnTypes.promised(method);
	}

	private static Type valueType(GuardedMethod method) {
		Type type = promisedType(method);
		if (returnsOptional(method)) {
			type = ResolvableType.forType(type).getGeneric(0).getType();
		}
		return (type instanceof Class<?> raw) ? ClassUtils.resolvePrimitiveIfNecessary(raw) : type;
	}

	/**
	 * Describes an operation: the settings of its cache, and its attributes.
	 * @param attributes alternating names and values, {@code null} for attributes that
	 * are not set
	 */
	Supplier<GuardDescription> description(String annotation, String cache, @Nullable Object... attributes) {
		return () -> {
			Settings settings = new Settings();
			this.definitions.settings(cache, settings);
			for (int i = 0; i < attributes.length; i += 2) {
				Object value = attributes[i + 1];
				settings.pickOptional(String.valueOf(attributes[i]), null,
						(value instanceof MethodExpression expression) ? expression.text() : value);
			}
			return new GuardDescription("cache", annotation, cache, settings.toMap());
		};
	}

	/**
	 * Returns the content of an {@code Optional}, and anything else as it is.
	 */
	static @Nullable Object unwrapped(@Nullable Object result) {
		return (result instanceof Optional<?> wrapped) ? wrapped.orElse(null) : result;
	}

}
