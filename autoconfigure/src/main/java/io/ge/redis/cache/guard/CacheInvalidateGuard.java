/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.guard;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.write.AsyncCacheWriter;
import io.ge.redis.cache.write.CacheWriteCall;
import io.ge.redis.cache.write.CacheWriter;
import io.ge.redis.cache.write.WritePart;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets methods run and invalidates what they have made wrong.
 */
final class CacheInvalidateGuard implements Guard<CacheInvalidateOperation> {

	private final Supplier<CacheWriter> writer;

	private final Supplier<AsyncCacheWriter> async;

	CacheInvalidateGuard(Supplier<CacheWriter> writer, Supplier<AsyncCacheWriter> async) {
		this.writer = writer;
		this.async = async;
	}

	@Override
	public GuardedCall<?> call(CacheInvalidateOperation operation, MethodInvocation invocation) {
		if (operation.form().isPlain()) {
			return GuardedCall.of(() -> inside(operation, operation.targets().iterator(), invocation));
		}
		return new CacheWriteCall(this.async.get(), operation.boundary(), () -> parts(operation, invocation),
				operation.form(), () -> Guard.proceed(operation, invocation));
	}

	private static List<WritePart> parts(CacheInvalidateOperation operation, MethodInvocation invocation) {
		List<WritePart> parts = new ArrayList<>(operation.targets().size());
		for (CacheInvalidateOperation.Target target : operation.targets()) {
			if (target.applies(invocation)) {
				CacheKey key = target.key(invocation);
				parts.add((key != null) ? WritePart.of(key, CacheWriter.Valuation.NOTHING)
						: WritePart.of(target.cache(), (result) -> target.tags(invocation, result)));
			}
		}
		return parts;
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
