/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.guard;

import io.ge.redis.core.invocation.GuardedOperation;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Decides about the calls of annotated methods: once for plain values, futures,
 * publishers and suspending functions.
 *
 * @param <O> the operation
 */
@FunctionalInterface
public interface Guard<O extends GuardedOperation> {

	/**
	 * Decides about a call, without blocking. Runs on the thread that calls the method or
	 * subscribes to its publisher; once more, on another one, if the caller had to be
	 * looked up first.
	 * @param operation the operation of the method
	 * @param invocation the call
	 * @return the admission
	 * @throws io.ge.redis.GeRedisException if the call is refused
	 */
	Admission admit(O operation, MethodInvocation invocation);

}
