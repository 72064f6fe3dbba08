// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.cache.GeCaches;
import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Puts what writers return into caches that are written behind.
 */
final class CacheWriteBehindGuard implements Guard<CacheWriteBehindOperation> {

	private final Supplier<? extends GeCaches> caches;

	CacheWriteBehindGuard(Supplier<? extends GeCaches> caches) {
		this.caches = caches;
	}

	@Override
	public GuardedCall<?> call(CacheWriteBehindOperation operation, MethodInvocation invocation) {
		return new Writing(this.caches.get(), operation, invocation);
	}

	private record Writing(GeCaches caches, CacheWriteBehindOperation operation,
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
					return Guard.proceed(Writing.this.operation, Writing.this.invocation);
				}

				@Override
				public CompletionStage<?> end(@Nullable Object result, @Nullable Throwable failure) {
					return (failure != null) ? DONE
							: write(key, Writing.this.operation.value(Writing.this.invocation, result));
				}

			};
		}

		private CompletionStage<?> write(CacheKey key, @Nullable Object value) {
			if (!this.operation.form().isPlain()) {
				return this.caches.writeBehindAsync(key.cache(), key.parts(), value);
			}
			this.caches.writeBehind(key.cache(), key.parts(), value);
			return Work.DONE;
		}

	}

}
