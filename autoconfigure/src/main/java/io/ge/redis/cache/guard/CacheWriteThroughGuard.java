/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.guard;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.cache.engine.NewValue;
import io.ge.redis.cache.write.AsyncCacheWriter;
import io.ge.redis.cache.write.CacheWriteCall;
import io.ge.redis.cache.write.CacheWriter;
import io.ge.redis.cache.write.WritePart;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets writers run and publishes what they have changed.
 */
final class CacheWriteThroughGuard implements Guard<CacheWriteThroughOperation> {

	private final Supplier<CacheWriter> writer;

	private final Supplier<AsyncCacheWriter> async;

	CacheWriteThroughGuard(Supplier<CacheWriter> writer, Supplier<AsyncCacheWriter> async) {
		this.writer = writer;
		this.async = async;
	}

	private @Nullable Object writePlain(CacheWriteThroughOperation operation, MethodInvocation invocation)
			throws Throwable {
		if (!operation.applies(invocation)) {
			return invocation.proceed();
		}
		return this.writer.get()
			.write(operation.key(invocation), operation.boundary(), invocation::proceed,
					valuation(operation, invocation));
	}

	@Override
	public GuardedCall<?> call(CacheWriteThroughOperation operation, MethodInvocation invocation) {
		if (operation.form().isPlain()) {
			return GuardedCall.of(() -> writePlain(operation, invocation));
		}
		return new CacheWriteCall(this.async.get(), operation.boundary(), () -> operation.applies(invocation)
				? List.of(WritePart.of(operation.key(invocation), valuation(operation, invocation))) : List.of(),
				operation.form(), () -> Guard.proceed(operation, invocation));
	}

	private CacheWriter.Valuation valuation(CacheWriteThroughOperation operation, MethodInvocation invocation) {
		CacheWriter target = this.writer.get();
		return (result, stamp) -> operation.isPublished(invocation, result)
				? newValue(target, operation, invocation, result, stamp) : null;
	}

	private static @Nullable NewValue newValue(CacheWriter target, CacheWriteThroughOperation operation,
			MethodInvocation invocation, @Nullable Object result, long stamp) {
		NewValue value = target.newValue(operation.cache(), operation.value(invocation, result), stamp,
				operation.tags(invocation, result));
		return operation.versioned(value, invocation, result);
	}

}
