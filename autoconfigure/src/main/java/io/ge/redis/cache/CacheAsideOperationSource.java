/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.List;

import io.ge.redis.core.invocation.GuardedMethod;
import io.ge.redis.core.invocation.MethodExpression;
import io.ge.redis.core.invocation.OperationSource;
import io.ge.redis.core.invocation.ReturnTypes;

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
		ReturnTypes.requireSynchronous(method);
		if (method.method().getReturnType() == void.class) {
			throw method.problem("the method returns nothing that could be cached.", "Let it return the value.");
		}
		CacheAside annotation = annotations.get(0);
		String cache = this.attributes.cache(method, annotation.cache());
		MethodExpression key = this.attributes.key(method, annotation.key());
		MethodExpression condition = this.attributes.condition(method, annotation.condition());
		MethodExpression unless = this.attributes.ofResult(method, "unless", annotation.unless());
		this.attributes.ttl(method, cache, annotation.ttl());
		this.attributes.negativeTtl(method, cache, annotation.negativeTtl());
		return new CacheAsideOperation(cache, key, condition, unless, this.attributes.returnType(method, cache),
				CacheAttributes.returnsOptional(method),
				this.attributes.description("CacheAside", cache, (settings) -> {
					settings.pickOptional("key", null, key.text());
					settings.pickOptional("condition", null, (condition != null) ? condition.text() : null);
					settings.pickOptional("unless", null, (unless != null) ? unless.text() : null);
				}));
	}

}
