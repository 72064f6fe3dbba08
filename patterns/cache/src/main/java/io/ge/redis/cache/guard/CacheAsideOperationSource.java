// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.guard;

import java.util.List;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.codec.CacheType;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;

/**
 * Reads {@link CacheAside}.
 */
final class CacheAsideOperationSource extends OperationSource<CacheAside, CacheAsideOperation> {

	private final CacheAttributes attributes;

	CacheAsideOperationSource(CacheAttributes attributes) {
		super(CacheAside.class);
		this.attributes = attributes;
	}

	@Override
	protected CacheAsideOperation parse(List<CacheAside> annotations, GuardedMethod method) {
		ResultForm form = CacheAttributes.form(method);
		if (CacheAttributes.returnsNothing(method)) {
			throw method.problem("the method returns nothing that could be cached.", "Let it return the value.");
		}
		CacheAside annotation = annotations.get(0);
		String cache = this.attributes.cache(method, annotation.cache());
		String keys = this.attributes.keys(method, annotation.key(), annotation.keys());
		CacheBulkMethod bulk = (keys != null) ? CacheBulkMethod.of(method, keys) : null;
		MethodExpression key = this.attributes.key(method, (keys != null) ? keys : annotation.key());
		MethodExpression condition = this.attributes.condition(method, annotation.condition());
		MethodExpression unless = this.attributes.ofResult(method, "unless", annotation.unless());
		if (bulk != null && !annotation.tags().isEmpty()) {
			throw method.problem("it has keys and tags, but nothing tells the tags of each entry apart.",
					"Leave one of them out.");
		}
		MethodExpression tags = this.attributes.tags(method, cache, annotation.tags(), false);
		this.attributes.ttl(method, cache, annotation.ttl());
		this.attributes.permanent(method, cache, annotation.permanent());
		this.attributes.negativeTtl(method, cache, annotation.negativeTtl());
		CacheType type = (bulk != null) ? this.attributes.type(method, cache, bulk.valueType())
				: this.attributes.returnType(method, cache);
		return new CacheAsideOperation(cache, key, condition, unless, tags, type,
				CacheAttributes.returnsOptional(method), bulk, form,
				this.attributes.description("CacheAside", cache, (settings) -> {
					settings.pickOptional((bulk != null) ? "keys" : "key", null, key.text());
					settings.pickOptional("tags", null, (tags != null) ? tags.text() : null);
					settings.pickOptional("condition", null, (condition != null) ? condition.text() : null);
					settings.pickOptional("unless", null, (unless != null) ? unless.text() : null);
				}));
	}

}
