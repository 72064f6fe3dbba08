// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock.internal;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCall.Work;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.outage.OutagePolicy;
import io.ge.redis.lock.LockHandle;
import io.ge.redis.lock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls under their lock.
 */
record LockGuard(Supplier<? extends LockedCall.Locks> locks) implements Guard<LockOperation> {

	@Override
	public GuardedCall<?> call(LockOperation operation, MethodInvocation invocation) {
		return new LockedCall(this.locks.get(), new LockedMethod(operation, invocation));
	}

	private record LockedMethod(LockOperation operation, MethodInvocation invocation) implements LockedCall.Task {

		@Override
		public LockSettings settings() {
			return this.operation.settings();
		}

		@Override
		public List<List<String>> keys() {
			return this.operation.keys(this.invocation);
		}

		@Override
		public boolean isTogether() {
			return this.operation.together();
		}

		@Override
		public boolean isDoneWithoutLock() {
			return settings().onOutage() == OutagePolicy.ALLOW;
		}

		@Override
		public @Nullable Object start(LockHandle lock) throws Throwable {
			this.operation.passToken(this.invocation, lock.token());
			return Guard.proceed(this.operation, this.invocation);
		}

		@Override
		public Work undecided(RedisUnavailableException outage) {
			return this.operation.undecided(outage);
		}

		@Override
		public Work refused(LockNotAcquiredException refusal) {
			return this.operation.refused(this.invocation, refusal);
		}

	}

}
