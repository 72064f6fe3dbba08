/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.guard;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.cache.write.CacheWriter;
import io.ge.redis.cache.write.WritePart;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Lets writers run and publishes what they have changed.
 */
final class CacheWriteThroughGuard implements Guard<CacheWriteThroughOperation> {

	private final Supplier<CacheWriter> writer;

	CacheWriteThroughGuard(Supplier<CacheWriter> writer) {
		this.writer = writer;
	}

	@Override
	public GuardedCall<?> call(CacheWriteThroughOperation operation, MethodInvocation invocation) {
		CacheWriter target = this.writer.get();
		return target.call(
				() -> operation.applies(invocation) ? List.of(part(target, operation, invocation)) : List.of(),
				operation.boundary(), operation.form(), () -> Guard.proceed(operation, invocation));
	}

	private static WritePart part(CacheWriter target, CacheWriteThroughOperation operation,
			MethodInvocation invocation) {
		return WritePart.of(operation.key(invocation), (result, stamp) -> {
			if (!operation.isPublished(invocation, result)) {
				return null;
			}
			return target.newValue(operation.cache(), operation.value(invocation, result), stamp,
					operation.tags(invocation, result));
		});
	}

}
