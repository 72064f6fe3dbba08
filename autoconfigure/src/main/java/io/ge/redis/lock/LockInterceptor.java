/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls under their lock.
 */
final class LockInterceptor extends GuardInterceptor<LockOperation> {

	private final Supplier<DefaultDistributedLocks> locks;

	LockInterceptor(LockOperationSource source, Supplier<DefaultDistributedLocks> locks) {
		super(source);
		this.locks = locks;
	}

	@Override
	protected @Nullable Object guard(LockOperation operation, MethodInvocation invocation) throws Throwable {
		DefaultDistributedLocks.Entry entry;
		try {
			entry = this.locks.get()
				.enterOrProceed(operation.settings(), operation.keys(invocation), operation.together());
		}
		catch (LockNotAcquiredException ex) {
			return notAcquired(operation, invocation, ex);
		}
		return DefaultDistributedLocks.<@Nullable Object, Throwable>run(entry, (lock) -> {
			operation.passToken(invocation, lock.token());
			return invocation.proceed();
		});
	}

	private static @Nullable Object notAcquired(LockOperation operation, MethodInvocation invocation,
			LockNotAcquiredException refusal) throws Throwable {
		if (operation.fallback() != null) {
			return operation.fallback().invoke(invocation, () -> refusal);
		}
		if (operation.onNotAcquired() == OnNotAcquired.SKIP) {
			return operation.skipped();
		}
		throw refusal;
	}

}
