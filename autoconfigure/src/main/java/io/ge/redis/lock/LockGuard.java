/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Runs calls under their lock.
 */
final class LockGuard implements Guard<LockOperation> {

	private final Supplier<? extends LockEntrance> locks;

	LockGuard(Supplier<? extends LockEntrance> locks) {
		this.locks = locks;
	}

	@Override
	public GuardedCall<?> call(LockOperation operation, MethodInvocation invocation) {
		return new LockedCall(this.locks.get(), new LockedMethod(operation, invocation));
	}

}
