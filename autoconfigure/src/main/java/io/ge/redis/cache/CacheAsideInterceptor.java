/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Answers readers from the cache.
 */
final class CacheAsideInterceptor extends GuardInterceptor<CacheAsideOperation> {

	private final Supplier<DefaultCaches> caches;

	CacheAsideInterceptor(CacheAsideOperationSource source, Supplier<DefaultCaches> caches) {
		super(source);
		this.caches = caches;
	}

	@Override
	protected @Nullable Object guard(CacheAsideOperation operation, MethodInvocation invocation) throws Throwable {
		if (!operation.applies(invocation)) {
			return invocation.proceed();
		}
		Object value = this.caches.get()
			.read(operation.key(invocation), operation.type(), () -> operation.unwrap(invocation.proceed()),
					(loaded) -> operation.isStorable(invocation, loaded));
		return operation.wrap(value);
	}

}
