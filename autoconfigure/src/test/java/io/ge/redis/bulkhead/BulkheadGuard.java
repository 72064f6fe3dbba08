// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.event.GuardEvents;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.key.RedisKey;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Admits calls while there is room.
 */
record BulkheadGuard(Supplier<RedisBulkhead> redis, GuardEvents events) implements Guard<BulkheadOperation> {

	@Override
	public GuardedCall<?> call(BulkheadOperation operation, MethodInvocation invocation) {
		return new Entering(this.redis.get(), operation, invocation, UUID.randomUUID().toString());
	}

	private final class Entering implements GuardedCall<Boolean> {

		private final RedisBulkhead redis;

		private final BulkheadOperation operation;

		private final MethodInvocation invocation;

		private final String id;

		Entering(RedisBulkhead redis, BulkheadOperation operation, MethodInvocation invocation, String id) {
			this.redis = redis;
			this.operation = operation;
			this.invocation = invocation;
			this.id = id;
		}

		@Override
		public CompletableFuture<Boolean> ask() {
			return this.redis.enter(key(), this.id, this.operation.limit());
		}

		private RedisKey key() {
			return this.redis.key(this.operation.name(), this.operation.entity(this.invocation));
		}

		@Override
		public Work decide(Boolean admitted) {
			BulkheadGuard.this.events.publish(new BulkheadEvent(this.operation.name(), admitted));
			if (!admitted) {
				throw new BulkheadFullException(this.operation.name());
			}
			return new Work() {

				@Override
				public @Nullable Object start() throws Throwable {
					return Guard.proceed(Entering.this.operation, Entering.this.invocation);
				}

				@Override
				public CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
					release(true);
					return DONE;
				}

			};
		}

		@Override
		public void release(Boolean admitted) {
			if (admitted) {
				this.redis.leave(key(), this.id);
			}
		}

	}

}
