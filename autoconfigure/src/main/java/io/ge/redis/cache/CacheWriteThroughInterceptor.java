/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets writers run and publishes what they have changed.
 */
final class CacheWriteThroughInterceptor extends AsyncGuardInterceptor<CacheWriteThroughOperation> {

	private final Supplier<CacheWriter> writer;

	private final Supplier<LaterWriter> later;

	CacheWriteThroughInterceptor(CacheWriteThroughOperationSource source, GuardedCalls calls,
			Supplier<CacheWriter> writer, Supplier<LaterWriter> later) {
		super(source, calls);
		this.writer = writer;
		this.later = later;
	}

	@Override
	protected @Nullable Object guardPlain(CacheWriteThroughOperation operation, MethodInvocation invocation)
			throws Throwable {
		if (!operation.applies(invocation)) {
			return invocation.proceed();
		}
		return this.writer.get()
			.write(operation.key(invocation), operation.boundary(), invocation::proceed,
					valuation(operation, invocation));
	}

	@Override
	protected GuardedCall<?> call(CacheWriteThroughOperation operation, MethodInvocation invocation) {
		return new CacheWriteCall(this.later.get(), operation.boundary(), () -> operation.applies(invocation)
				? List.of(WritePart.of(operation.key(invocation), valuation(operation, invocation))) : List.of(),
				operation.form(), () -> proceed(invocation));
	}

	private CacheWriter.Valuation valuation(CacheWriteThroughOperation operation, MethodInvocation invocation) {
		CacheWriter target = this.writer.get();
		return (result, stamp) -> operation.isPublished(invocation, result)
				? newValue(target, operation, invocation, result, stamp) : null;
	}

	private static CacheWrite.@Nullable NewValue newValue(CacheWriter target, CacheWriteThroughOperation operation,
			MethodInvocation invocation, @Nullable Object result, long stamp) {
		CacheWrite.NewValue value = target.newValue(operation.cache(), operation.value(invocation, result), stamp,
				operation.tags(invocation, result));
		return operation.versioned(value, invocation, result);
	}

}
