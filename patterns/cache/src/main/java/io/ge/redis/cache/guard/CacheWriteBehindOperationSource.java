// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.guard;

import java.util.List;

import io.ge.redis.cache.CacheWriteBehind;
import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;

/**
 * Reads {@link CacheWriteBehind}.
 */
final class CacheWriteBehindOperationSource extends OperationSource<CacheWriteBehind, CacheWriteBehindOperation> {

	private final CacheAttributes attributes;

	CacheWriteBehindOperationSource(CacheAttributes attributes) {
		super(CacheWriteBehind.class);
		this.attributes = attributes;
	}

	@Override
	protected CacheWriteBehindOperation parse(List<CacheWriteBehind> annotations, GuardedMethod method) {
		ReturnTypes.form(method);
		CacheWriteBehind annotation = annotations.get(0);
		String cache = this.attributes.cache(method, annotation.cache());
		MethodExpression key = this.attributes.key(method, annotation.key());
		MethodExpression value = this.attributes.value(method, cache, annotation.value(), "written");
		this.attributes.writesBehind(method, cache);
		return new CacheWriteBehindOperation(cache, key, value,
				(value == null) ? CacheAttributes.form(method) : CacheAttributes.form(method, value),
				this.attributes.description("CacheWriteBehind", cache, (settings) -> {
					settings.pickOptional("key", null, key.text());
					settings.pickOptional("value", null, (value != null) ? value.text() : null);
				}));
	}

}
