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

	private final Supplier<DefaultCaches> caches;

	CacheInvalidateInterceptor(CacheInvalidateOperationSource source, Supplier<DefaultCaches> caches) {
		super(source);
		this.caches = caches;
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
		DefaultCaches.Work work = () -> inside(operation, targets, invocation);
		if (!target.applies(invocation)) {
			return work.run();
		}
		CacheKey key = target.key(invocation);
		return (key != null) ? this.caches.get().write(key, operation.boundary(), work, DefaultCaches.Valuation.NOTHING)
				: this.caches.get()
					.invalidate(target.cache(), operation.boundary(), work,
							(result) -> target.tags(invocation, result));
	}

}
