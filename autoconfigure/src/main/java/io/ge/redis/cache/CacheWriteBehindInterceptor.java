/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Puts what writers return into caches that are written behind.
 */
final class CacheWriteBehindInterceptor extends AsyncGuardInterceptor<CacheWriteBehindOperation> {

	private final Supplier<? extends BehindWriter> writer;

	CacheWriteBehindInterceptor(CacheWriteBehindOperationSource source, GuardedCalls calls,
			Supplier<? extends BehindWriter> writer) {
		super(source, calls);
		this.writer = writer;
	}

	@Override
	protected @Nullable Object guardPlain(CacheWriteBehindOperation operation, MethodInvocation invocation)
			throws Throwable {
		CacheKey key = operation.key(invocation);
		Object result = invocation.proceed();
		this.writer.get().write(key, operation.value(invocation, result));
		return result;
	}

	@Override
	protected GuardedCall<?> call(CacheWriteBehindOperation operation, MethodInvocation invocation) {
		return new Later(this.writer.get(), operation, invocation);
	}

	/**
	 * A call whose value comes later.
	 */
	private record Later(BehindWriter writer, CacheWriteBehindOperation operation,
			MethodInvocation invocation) implements GuardedCall<CacheKey> {

		// What is wrong with the key is to be known before the method runs
		@Override
		public CompletableFuture<CacheKey> ask() {
			return CompletableFuture.completedFuture(this.operation.key(this.invocation));
		}

		@Override
		public Work decide(CacheKey key) {
			return new Work() {

				@Override
				public @Nullable Object start() throws Throwable {
					return proceed(Later.this.invocation);
				}

				@Override
				public CompletionStage<?> end(@Nullable Object result, @Nullable Throwable failure) {
					return (failure != null) ? DONE : Later.this.writer.writeLater(key,
							Later.this.operation.value(Later.this.invocation, result));
				}

			};
		}

	}

}
