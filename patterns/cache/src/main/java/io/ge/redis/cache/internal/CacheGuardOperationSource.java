// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.lang.annotation.Annotation;
import java.util.List;
import java.util.function.BiFunction;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.internal.access.TransactionBoundary;
import io.ge.redis.cache.internal.engine.CacheType;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;

/**
 * Reads the cache annotations of methods, each by an instance of its own.
 */
final class CacheGuardOperationSource<A extends Annotation, O extends GuardedOperation> extends OperationSource<A, O> {

	private final BiFunction<List<A>, GuardedMethod, O> parser;

	private CacheGuardOperationSource(Class<A> annotation, BiFunction<List<A>, GuardedMethod, O> parser) {
		super(annotation);
		this.parser = parser;
	}

	@Override
	protected O parse(List<A> annotations, GuardedMethod method) {
		return this.parser.apply(annotations, method);
	}

	static CacheGuardOperationSource<CacheAside, CacheAsideOperation> readers(CacheAttributes attributes) {
		return new CacheGuardOperationSource<>(CacheAside.class,
				(annotations, method) -> reader(attributes, annotations.get(0), method));
	}

	static CacheGuardOperationSource<CacheWriteThrough, CacheWriteThroughOperation> writers(
			CacheAttributes attributes) {
		return new CacheGuardOperationSource<>(CacheWriteThrough.class,
				(annotations, method) -> writer(attributes, annotations.get(0), method));
	}

	static CacheGuardOperationSource<CacheWriteBehind, CacheWriteBehindOperation> behindWriters(
			CacheAttributes attributes) {
		return new CacheGuardOperationSource<>(CacheWriteBehind.class,
				(annotations, method) -> behindWriter(attributes, annotations.get(0), method));
	}

	static CacheGuardOperationSource<CacheInvalidate, CacheInvalidateOperation> invalidators(
			CacheAttributes attributes) {
		return new CacheGuardOperationSource<>(CacheInvalidate.class, (annotations, method) -> {
			ReturnTypes.form(method);
			List<CacheInvalidateOperation.Target> targets = annotations.stream()
				.map((annotation) -> target(attributes, annotation, method))
				.toList();
			MethodExpression[] tags = targets.stream()
				.map(CacheInvalidateOperation.Target::tags)
				.toArray(MethodExpression[]::new);
			return new CacheInvalidateOperation(targets, boundary(attributes, method),
					CacheAttributes.form(method, tags));
		});
	}

	private static TransactionBoundary boundary(CacheAttributes attributes, GuardedMethod method) {
		return TransactionBoundary.of(method.method(), method.targetClass(), attributes.transactions());
	}

	private static CacheAsideOperation reader(CacheAttributes attributes, CacheAside annotation, GuardedMethod method) {
		ResultForm form = CacheAttributes.form(method);
		if (CacheAttributes.returnsNothing(method)) {
			throw method.problem("the method returns nothing that could be cached.", "Let it return the value.");
		}
		String cache = attributes.cache(method, annotation.cache());
		String keys = attributes.keys(method, annotation.key(), annotation.keys());
		CacheBulkMethod bulk = (keys != null) ? CacheBulkMethod.of(method, keys) : null;
		MethodExpression key = attributes.key(method, (keys != null) ? keys : annotation.key());
		MethodExpression condition = attributes.condition(method, annotation.condition());
		MethodExpression unless = attributes.ofResult(method, "unless", annotation.unless());
		if (bulk != null && !annotation.tags().isEmpty()) {
			throw method.problem("it has keys and tags, but nothing assigns tags to each entry.",
					"Leave one of them out.");
		}
		MethodExpression tags = attributes.tags(method, cache, annotation.tags(), false);
		attributes.ttl(method, cache, annotation.ttl());
		attributes.permanent(method, cache, annotation.permanent());
		attributes.negativeTtl(method, cache, annotation.negativeTtl());
		CacheType type = (bulk != null) ? attributes.type(method, cache, bulk.valueType())
				: attributes.returnType(method, cache);
		return new CacheAsideOperation(cache, key, condition, unless, tags, type,
				CacheAttributes.returnsOptional(method), bulk, form, attributes.description("CacheAside", cache,
						(bulk != null) ? "keys" : "key", key, "tags", tags, "condition", condition, "unless", unless));
	}

	private static CacheWriteThroughOperation writer(CacheAttributes attributes, CacheWriteThrough annotation,
			GuardedMethod method) {
		ReturnTypes.form(method);
		String cache = attributes.cache(method, annotation.cache());
		MethodExpression key = attributes.key(method, annotation.key());
		MethodExpression value = attributes.value(method, cache, annotation.value(), "published");
		MethodExpression condition = attributes.condition(method, annotation.condition());
		MethodExpression unless = attributes.ofResult(method, "unless", annotation.unless());
		MethodExpression tags = attributes.tags(method, cache, annotation.tags(), true);
		attributes.ttl(method, cache, annotation.ttl());
		attributes.permanent(method, cache, annotation.permanent());
		attributes.writesThrough(method, cache);
		return new CacheWriteThroughOperation(cache, key, value, condition, unless, tags, boundary(attributes, method),
				(value == null) ? CacheAttributes.form(method) : CacheAttributes.form(method, value, unless, tags),
				attributes.description("CacheWriteThrough", cache, "key", key, "value", value, "tags", tags,
						"condition", condition, "unless", unless));
	}

	private static CacheWriteBehindOperation behindWriter(CacheAttributes attributes, CacheWriteBehind annotation,
			GuardedMethod method) {
		ReturnTypes.form(method);
		String cache = attributes.cache(method, annotation.cache());
		MethodExpression key = attributes.key(method, annotation.key());
		MethodExpression value = attributes.value(method, cache, annotation.value(), "written");
		attributes.writesBehind(method, cache);
		return new CacheWriteBehindOperation(cache, key, value,
				(value == null) ? CacheAttributes.form(method) : CacheAttributes.form(method, value),
				attributes.description("CacheWriteBehind", cache, "key", key, "value", value));
	}

	private static CacheInvalidateOperation.Target target(CacheAttributes attributes, CacheInvalidate annotation,
			GuardedMethod method) {
		String cache = attributes.cache(method, annotation.cache());
		int given = (annotation.key().isEmpty() ? 0 : 1) + (annotation.tags().isEmpty() ? 0 : 1)
				+ (annotation.all() ? 1 : 0);
		if (given != 1) {
			throw method.problem("it must say either which entry is meant, or which tags, or all.",
					"Set exactly one of key = \"#id\", tags = \"#group\" and all = true.");
		}
		MethodExpression key = annotation.key().isEmpty() ? null : attributes.key(method, annotation.key());
		MethodExpression tags = annotation.tags().isEmpty() ? null : tags(attributes, method, annotation.tags());
		MethodExpression condition = attributes.condition(method, annotation.condition());
		return new CacheInvalidateOperation.Target(cache, key, tags, condition,
				attributes.description("CacheInvalidate", cache, "key", key, "tags", tags, "all",
						annotation.all() ? true : null, "condition", condition));
	}

	private static MethodExpression tags(CacheAttributes attributes, GuardedMethod method, String value) {
		MethodExpression tags = attributes.ofResult(method, "tags", value);
		if (tags == null) {
			throw method.problem("its tags are empty, which would mean no entry.",
					"Write an expression, such as tags = \"#group\", or all = true.");
		}
		return tags.asKey();
	}

}
