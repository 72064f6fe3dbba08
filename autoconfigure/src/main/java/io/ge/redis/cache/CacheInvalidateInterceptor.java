/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.Iterator;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets methods run and invalidates what they have made wrong.
 */
final class CacheInvalidateInterceptor extends GuardInterceptor<CacheInvalidateOperation> {

	private final Supplier<CacheWriter> writer;

	CacheInvalidateInterceptor(CacheInvalidateOperationSource source, Supplier<CacheWriter> writer) {
		super(source);
		this.writer = writer;
	}

	@Override
	protected @Nullable Object guard(CacheInvalidateOperation operation, MethodInvocation invocation) throws Throwable {
		return inside(operation, operation.targets().iterator(), invocation);
	}

	private @Nullable Object inside(CacheInvalidateOperation operation,
			Iterator<CacheInvalidateOperation.Target> targets, MethodInvocation invocation) throws Throwable {
		if (!targets.hasNext()) {
			return invocation.proceed();
		}
		CacheInvalidateOperation.Target target = targets.next();
		CacheWriter.Work work = () -> inside(operation, targets, invocation);
		if (!target.applies(invocation)) {
			return work.run();
		}
		CacheKey key = target.key(invocation);
		return (key != null) ? this.writer.get().write(key, operation.boundary(), work, CacheWriter.Valuation.NOTHING)
				: this.writer.get()
					.invalidate(target.cache(), operation.boundary(), work,
							(result) -> target.tags(invocation, result));
	}

}
