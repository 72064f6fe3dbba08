// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.guard;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.write.TransactionBoundary;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@link CacheInvalidate}.
 */
final class CacheInvalidateOperationSource extends OperationSource<CacheInvalidate, CacheInvalidateOperation> {

	private final CacheAttributes attributes;

	CacheInvalidateOperationSource(CacheAttributes attributes) {
		super(CacheInvalidate.class);
		this.attributes = attributes;
	}

	@Override
	protected CacheInvalidateOperation parse(List<CacheInvalidate> annotations, GuardedMethod method) {
		ReturnTypes.form(method);
		List<CacheInvalidateOperation.Target> targets = new ArrayList<>(annotations.size());
		annotations.forEach((annotation) -> targets.add(target(annotation, method)));
		return new CacheInvalidateOperation(List.copyOf(targets),
				TransactionBoundary.of(method.method(), method.targetClass(), this.attributes.transactions()),
				CacheAttributes.form(method,
						targets.stream().map(CacheInvalidateOperation.Target::tags).toArray(MethodExpression[]::new)));
	}

	private CacheInvalidateOperation.Target target(CacheInvalidate annotation, GuardedMethod method) {
		String cache = this.attributes.cache(method, annotation.cache());
		requireOne(annotation, method);
		MethodExpression key = annotation.key().isEmpty() ? null : this.attributes.key(method, annotation.key());
		MethodExpression tags = annotation.tags().isEmpty() ? null : tags(method, annotation.tags());
		MethodExpression condition = this.attributes.condition(method, annotation.condition());
		return new CacheInvalidateOperation.Target(cache, key, tags, condition,
				this.attributes.description("CacheInvalidate", cache, (settings) -> {
					settings.pickOptional("key", null, text(key));
					settings.pickOptional("tags", null, text(tags));
					settings.pickOptional("all", null, annotation.all() ? true : null);
					settings.pickOptional("condition", null, text(condition));
				}));
	}

	private MethodExpression tags(GuardedMethod method, String value) {
		MethodExpression tags = this.attributes.ofResult(method, "tags", value);
		if (tags == null) {
			throw method.problem("its tags are empty, which would mean no entry.",
					"Write an expression, such as tags = \"#group\", or all = true.");
		}
		return tags.asKey();
	}

	private static void requireOne(CacheInvalidate annotation, GuardedMethod method) {
		int given = (annotation.key().isEmpty() ? 0 : 1) + (annotation.tags().isEmpty() ? 0 : 1)
				+ (annotation.all() ? 1 : 0);
		if (given != 1) {
			throw method.problem("it must say either which entry is meant, or which tags, or all.",
					"Set exactly one of key = \"#id\", tags = \"#group\" and all = true.");
		}
	}

	private static @Nullable String text(@Nullable MethodExpression expression) {
		return (expression != null) ? expression.text() : null;
	}

}
