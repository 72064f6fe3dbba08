/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.cache.engine.CacheKey;
import io.ge.redis.cache.write.CacheWriter;
import io.ge.redis.cache.write.WritePart;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Lets methods run and invalidates what they have made wrong.
 */
final class CacheInvalidateGuard implements Guard<CacheInvalidateOperation> {

	private final Supplier<CacheWriter> writer;

	CacheInvalidateGuard(Supplier<CacheWriter> writer) {
		this.writer = writer;
	}

	@Override
	public GuardedCall<?> call(CacheInvalidateOperation operation, MethodInvocation invocation) {
		return this.writer.get()
			.call(() -> parts(operation, invocation), operation.boundary(), operation.form(),
					() -> Guard.proceed(operation, invocation));
	}

	private static List<WritePart> parts(CacheInvalidateOperation operation, MethodInvocation invocation) {
		List<WritePart> parts = new ArrayList<>(operation.targets().size());
		for (CacheInvalidateOperation.Target target : operation.targets()) {
			if (target.applies(invocation)) {
				CacheKey key = target.key(invocation);
				parts.add((key != null) ? WritePart.of(key, null)
						: WritePart.of(target.cache(), (result) -> target.tags(invocation, result)));
			}
		}
		return parts;
	}

}
