/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import io.ge.redis.core.outage.RedisUnavailableException;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls under their lock.
 */
final class LockInterceptor extends AsyncGuardInterceptor<LockOperation> {

	private final Supplier<? extends LockEntrance> locks;

	LockInterceptor(LockOperationSource source, GuardedCalls calls, Supplier<? extends LockEntrance> locks) {
		super(source, calls);
		this.locks = locks;
	}

	@Override
	protected @Nullable Object guardPlain(LockOperation operation, MethodInvocation invocation) throws Throwable {
		Entry entry;
		try {
			entry = this.locks.get()
				.enterOrProceed(operation.settings(), operation.keys(invocation), operation.together());
		}
		catch (LockNotAcquiredException ex) {
			return operation.refuse(invocation, ex);
		}
		catch (RedisUnavailableException ex) {
			return operation.passOver(ex);
		}
		return DefaultDistributedLocks.<@Nullable Object, Throwable>run(entry, (lock) -> {
			operation.passToken(invocation, lock.token());
			return invocation.proceed();
		});
	}

	@Override
	protected GuardedCall<?> call(LockOperation operation, MethodInvocation invocation) {
		return new LockedCall(this.locks.get(), new LockedMethod(operation, invocation));
	}

}
