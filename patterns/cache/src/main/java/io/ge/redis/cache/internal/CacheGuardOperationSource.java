// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.internal.engine.CacheCodec;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.AttributeReader;
import io.ge.redis.core.invocation.ExpressionCompiler;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import io.ge.redis.core.invocation.Settings;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.util.ClassUtils;

/**
 * Reads and checks one of the cache annotations, and declares what it says of its cache.
 */
final class CacheGuardOperationSource<A extends Annotation> extends OperationSource<A, CacheGuardOperation> {

	private static final Pattern RESULT = Pattern.compile("#result\\b");

	private final CacheRegistry definitions;

	private final CacheCodec codec;

	private final AttributeReader attributes;

	private final ExpressionCompiler expressions;

	private final AnnotationTransactionAttributeSource transactions = new AnnotationTransactionAttributeSource(false);

	CacheGuardOperationSource(Class<A> annotation, CacheRegistry definitions, CacheCodec codec,
			AttributeReader attributes, ExpressionCompiler expressions) {
		super(annotation);
		this.definitions = definitions;
		this.codec = codec;
		this.attributes = attributes;
		this.expressions = expressions;
		this.transactions.setEmbeddedValueResolver(attributes::resolve);
	}

	@Override
	protected CacheGuardOperation parse(List<A> annotations, GuardedMethod method) {
		ReturnTypes.form(method);
		Annotation first = annotations.get(0);
		if (first instanceof CacheAside reader) {
			return reader(reader, method);
		}
		if (first instanceof CacheWriteThrough writer) {
			return writer(writer, method);
		}
		return (first instanceof CacheWriteBehind writer) ? behindWriter(writer, method)
				: invalidator(annotations, method);
	}

	private CacheGuardOperation reader(CacheAside annotation, GuardedMethod method) {
		if (returnsNothing(method)) {
			throw method.problem("the method returns nothing that could be cached.", "Let it return the value.");
		}
		String cache = cache(method, annotation.cache());
		String keys = this.attributes.text(method, "keys", annotation.keys());
		if (keys != null && !annotation.key().isBlank()) {
			throw method.problem("key and keys are both there.",
					"Leave key out: each element of keys is the key of one entry.");
		}
		CacheGuardOperation.Bulk bulk = (keys != null) ? CacheGuardOperation.Bulk.of(method, keys) : null;
		MethodExpression key = key(method, (keys != null) ? keys : annotation.key());
		MethodExpression condition = condition(method, annotation.condition());
		MethodExpression unless = ofResult(method, "unless", annotation.unless());
		if (bulk != null && !annotation.tags().isEmpty()) {
			throw method.problem("it has keys and tags, but nothing assigns tags to each entry.",
					"Leave one of them out.");
		}
		MethodExpression tags = tags(method, cache, annotation.tags(), false);
		declareTerms(method, cache, annotation.ttl(), annotation.permanent());
		this.definitions.declareNegativeTtl(cache,
				this.attributes.duration(method, "negativeTtl", annotation.negativeTtl()), method);
		CacheType type = type(method, cache, (bulk != null) ? bulk.valueType() : valueType(method));
		return new CacheGuardOperation.Reader(new CacheGuardOperation.Target(cache, key), condition, unless, tags, type,
				returnsOptional(method), bulk, form(method), description(cache, (bulk != null) ? "keys" : "key", key,
						"tags", tags, "condition", condition, "unless", unless));
	}

	private CacheGuardOperation writer(CacheWriteThrough annotation, GuardedMethod method) {
		String cache = cache(method, annotation.cache());
		MethodExpression key = key(method, annotation.key());
		MethodExpression value = value(method, cache, annotation.value(), "published");
		MethodExpression condition = condition(method, annotation.condition());
		MethodExpression unless = ofResult(method, "unless", annotation.unless());
		MethodExpression tags = tags(method, cache, annotation.tags(), true);
		declareTerms(method, cache, annotation.ttl(), annotation.permanent());
		this.definitions.declareWriteThrough(cache, method);
		return new CacheGuardOperation.Through(new CacheGuardOperation.Target(cache, key), value, condition, unless,
				tags, boundary(method), (value == null) ? form(method) : form(method, value, unless, tags),
				description(cache, "key", key, "value", value, "tags", tags, "condition", condition, "unless", unless));
	}

	private CacheGuardOperation behindWriter(CacheWriteBehind annotation, GuardedMethod method) {
		String cache = cache(method, annotation.cache());
		MethodExpression key = key(method, annotation.key());
		MethodExpression value = value(method, cache, annotation.value(), "written");
		this.definitions.declareWriteBehind(cache, method);
		return new CacheGuardOperation.Behind(new CacheGuardOperation.Target(cache, key), value,
				(value == null) ? form(method) : form(method, value), description(cache, "key", key, "value", value));
	}

	private CacheGuardOperation invalidator(List<A> annotations, GuardedMethod method) {
		List<CacheGuardOperation.Invalidation> all = new ArrayList<>();
		List<Supplier<GuardDescription>> descriptions = new ArrayList<>();
		for (A annotation : annotations) {
			CacheInvalidate each = (CacheInvalidate) annotation;
			CacheGuardOperation.Invalidation made = invalidation(each, method);
			all.add(made);
			descriptions.addAll(description(made.cache(), "key", made.key(), "tags", made.tags(), "all",
					each.all() ? true : null, "condition", made.condition()));
		}
		MethodExpression[] tags = all.stream()
			.map(CacheGuardOperation.Invalidation::tags)
			.toArray(MethodExpression[]::new);
		return new CacheGuardOperation.Invalidations(all, boundary(method), form(method, tags), descriptions);
	}

	private CacheGuardOperation.Invalidation invalidation(CacheInvalidate annotation, GuardedMethod method) {
		String cache = cache(method, annotation.cache());
		boolean byKey = !annotation.key().isEmpty();
		boolean byTags = !annotation.tags().isEmpty();
		if ((byKey ? 1 : 0) + (byTags ? 1 : 0) + (annotation.all() ? 1 : 0) != 1) {
			throw method.problem("it must say either which entry is meant, or which tags, or all.",
					"Set exactly one of key = \"#id\", tags = \"#group\" and all = true.");
		}
		MethodExpression key = byKey ? key(method, annotation.key()) : null;
		MethodExpression tags = byTags ? ofResult(method, "tags", annotation.tags()) : null;
		if (byTags && tags == null) {
			throw method.problem("its tags are empty, which would mean no entry.",
					"Write an expression, such as tags = \"#group\", or all = true.");
		}
		return new CacheGuardOperation.Invalidation(cache, key, (tags != null) ? tags.asKey() : null,
				condition(method, annotation.condition()));
	}

	// Attributes

	private String cache(GuardedMethod method, String value) {
		String name = this.attributes.text(method, "cache", value);
		if (name == null) {
			throw method.problem("it has no cache.", "Name one with cache = \"...\".");
		}
		this.definitions.requireAllowed(name, method::problem);
		return name;
	}

	private MethodExpression key(GuardedMethod method, String value) {
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

	private @Nullable MethodExpression condition(GuardedMethod method, String value) {
		String text = this.attributes.text(method, "condition", value);
		return (text != null) ? this.expressions.compile(method, "condition", text) : null;
	}

	private @Nullable MethodExpression ofResult(GuardedMethod method, String attribute, String value) {
		String text = this.attributes.text(method, attribute, value);
		return (text != null) ? this.expressions.compileWithResult(method, attribute, text) : null;
	}

	/**
	 * Returns the value that a writer gives. If it is what the method returns, the cache
	 * has its type.
	 * @return the expression, or {@code null} for the result of the method
	 */
	private @Nullable MethodExpression value(GuardedMethod method, String cache, String value, String use) {
		MethodExpression expression = ofResult(method, "value", value);
		if (expression == null) {
			if (returnsNothing(method)) {
				throw method.problem("the method returns nothing that could be " + use + ".",
						"Let it return the new value, or say what it is with value = \"#argument\".");
			}
			type(method, cache, valueType(method));
		}
		return expression;
	}

	/**
	 * Returns the tags of entries, and declares them for the cache.
	 * @param withResult whether they may be made of the result of the method
	 */
	private @Nullable MethodExpression tags(GuardedMethod method, String cache, String value, boolean withResult) {
		String text = this.attributes.text(method, "tags", value);
		if (text == null) {
			return null;
		}
		this.definitions.declareTagged(cache);
		return (withResult ? this.expressions.compileWithResult(method, "tags", text)
				: this.expressions.compile(method, "tags", text))
			.asKey();
	}

	private void declareTerms(GuardedMethod method, String cache, String ttl, boolean permanent) {
		this.definitions.declareTtl(cache, this.attributes.duration(method, "ttl", ttl), method);
		this.definitions.declarePermanent(cache, permanent, method);
	}

	private CacheType type(GuardedMethod method, String cache, Type valueType) {
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

	private TransactionBoundary boundary(GuardedMethod method) {
		return TransactionBoundary.of(method.method(), method.targetClass(), this.transactions);
	}

	/**
	 * Returns the form of a writer's result. Several values pass one by one, unless they
	 * are asked for as a whole.
	 */
	private static ResultForm form(GuardedMethod method, @Nullable MethodExpression... ofResult) {
		boolean asked = ofResult.length == 0 || Arrays.stream(ofResult)
			.anyMatch((expression) -> expression != null && RESULT.matcher(expression.text()).find());
		ResultForm form = ReturnTypes.form(method);
		return asked ? form.collected() : form;
	}

	private static boolean returnsNothing(GuardedMethod method) {
		Type type = ReturnTypes.promised(method);
		return type == void.class || type == Void.class || type.getTypeName().equals("kotlin.Unit");
	}

	private static boolean returnsOptional(GuardedMethod method) {
		return ResolvableType.forType(ReturnTypes.promised(method)).resolve() == Optional.class;
	}

	private static Type valueType(GuardedMethod method) {
		Type type = ReturnTypes.promised(method);
		if (returnsOptional(method)) {
			type = ResolvableType.forType(type).getGeneric(0).getType();
		}
		return (type instanceof Class<?> raw) ? ClassUtils.resolvePrimitiveIfNecessary(raw) : type;
	}

	/**
	 * Describes an operation: the settings of its cache, and its attributes.
	 * @param values alternating names and values, {@code null} for attributes that are
	 * not set
	 */
	private List<Supplier<GuardDescription>> description(String cache, @Nullable Object... values) {
		return List.of(() -> {
			Settings settings = new Settings();
			this.definitions.settings(cache, settings);
			for (int i = 0; i < values.length; i += 2) {
				Object value = values[i + 1];
				settings.pickOptional(String.valueOf(values[i]), null,
						(value instanceof MethodExpression expression) ? expression.text() : value);
			}
			return new GuardDescription("cache", annotationType().getSimpleName(), cache, settings.toMap());
		});
	}

}
