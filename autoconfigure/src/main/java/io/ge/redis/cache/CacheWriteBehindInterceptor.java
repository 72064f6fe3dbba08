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
 * Puts what writers return into caches that are written behind.
 */
final class CacheWriteBehindInterceptor extends GuardInterceptor<CacheWriteBehindOperation> {

	private final Supplier<CacheBehindWriter> writer;

	CacheWriteBehindInterceptor(CacheWriteBehindOperationSource source, Supplier<CacheBehindWriter> writer) {
		super(source);
		this.writer = writer;
	}

	@Override
	protected @Nullable Object guard(CacheWriteBehindOperation operation, MethodInvocation invocation)
			throws Throwable {
		CacheKey key = operation.key(invocation);
		Object result = invocation.proceed();
		this.writer.get().write(key, operation.value(invocation, result));
		return result;
	}

}
