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
 * Lets writers run and publishes what they have changed.
 */
final class CacheWriteThroughInterceptor extends GuardInterceptor<CacheWriteThroughOperation> {

	private final Supplier<CacheWriter> writer;

	CacheWriteThroughInterceptor(CacheWriteThroughOperationSource source, Supplier<CacheWriter> writer) {
		super(source);
		this.writer = writer;
	}

	@Override
	protected @Nullable Object guard(CacheWriteThroughOperation operation, MethodInvocation invocation)
			throws Throwable {
		if (!operation.applies(invocation)) {
			return invocation.proceed();
		}
		CacheWriter target = this.writer.get();
		return target.write(operation.key(invocation), operation.boundary(), invocation::proceed,
				(result, stamp) -> operation.isPublished(invocation, result)
						? newValue(target, operation, invocation, result, stamp) : null);
	}

	private static CacheWrite.@Nullable NewValue newValue(CacheWriter target, CacheWriteThroughOperation operation,
			MethodInvocation invocation, @Nullable Object result, long stamp) {
		CacheWrite.NewValue value = target.newValue(operation.cache(), operation.value(invocation, result), stamp,
				operation.tags(invocation, result));
		return operation.versioned(value, invocation, result);
	}

}
