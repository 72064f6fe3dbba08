// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.guard;

import java.util.List;

import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.write.TransactionBoundary;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;

/**
 * Reads {@link CacheWriteThrough}.
 */
final class CacheWriteThroughOperationSource extends OperationSource<CacheWriteThrough, CacheWriteThroughOperation> {

	private final CacheAttributes attributes;

	CacheWriteThroughOperationSource(CacheAttributes attributes) {
		super(CacheWriteThrough.class);
		this.attributes = attributes;
	}

	@Override
	protected CacheWriteThroughOperation parse(List<CacheWriteThrough> annotations, GuardedMethod method) {
		ReturnTypes.form(method);
		CacheWriteThrough annotation = annotations.get(0);
		String cache = this.attributes.cache(method, annotation.cache());
		MethodExpression key = this.attributes.key(method, annotation.key());
		MethodExpression value = this.attributes.value(method, cache, annotation.value(), "published");
		MethodExpression condition = this.attributes.condition(method, annotation.condition());
		MethodExpression unless = this.attributes.ofResult(method, "unless", annotation.unless());
		MethodExpression tags = this.attributes.tags(method, cache, annotation.tags(), true);
		this.attributes.ttl(method, cache, annotation.ttl());
		this.attributes.permanent(method, cache, annotation.permanent());
		this.attributes.writesThrough(method, cache);
		return new CacheWriteThroughOperation(cache, key, value, condition, unless, tags,
				TransactionBoundary.of(method.method(), method.targetClass(), this.attributes.transactions()),
				(value == null) ? CacheAttributes.form(method) : CacheAttributes.form(method, value, unless, tags),
				this.attributes.description("CacheWriteThrough", cache, (settings) -> {
					settings.pickOptional("key", null, key.text());
					settings.pickOptional("value", null, (value != null) ? value.text() : null);
					settings.pickOptional("tags", null, (tags != null) ? tags.text() : null);
					settings.pickOptional("condition", null, (condition != null) ? condition.text() : null);
					settings.pickOptional("unless", null, (unless != null) ? unless.text() : null);
				}));
	}

}
