/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets admitted calls through, and gives back what those took that failed as foreseen.
 */
final class RateLimitInterceptor extends GuardInterceptor<RateLimitOperation> {

	private final Supplier<DefaultRateLimiter> limiter;

	RateLimitInterceptor(RateLimitOperationSource source, Supplier<DefaultRateLimiter> limiter) {
		super(source);
		this.limiter = limiter;
	}

	@Override
	protected @Nullable Object guard(RateLimitOperation operation, MethodInvocation invocation) throws Throwable {
		List<Demand> demands = operation.demands(invocation);
		if (demands.isEmpty()) {
			return invocation.proceed();
		}
		RateLimitDecision decision = this.limiter.get().decide(demands);
		if (decision instanceof RateLimitDecision.Allowed allowed) {
			return proceed(operation, invocation, allowed);
		}
		return refuse(operation, invocation, (RateLimitDecision.Denied) decision);
	}

	private @Nullable Object proceed(RateLimitOperation operation, MethodInvocation invocation,
			RateLimitDecision.Allowed allowed) throws Throwable {
		if (operation.refundOn().isEmpty()) {
			return invocation.proceed();
		}
		try {
			return invocation.proceed();
		}
		catch (Throwable failure) {
			if (operation.refundsOn(failure)) {
				refund(allowed, failure);
			}
			throw failure;
		}
	}

	// The caller must get the failure of the method, whatever becomes of the permits
	private void refund(RateLimitDecision.Allowed allowed, Throwable failure) {
		try {
			this.limiter.get().refund(allowed);
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

	private static @Nullable Object refuse(RateLimitOperation operation, MethodInvocation invocation,
			RateLimitDecision.Denied denied) throws Throwable {
		if (operation.fallback() == null) {
			throw new RateLimitExceededException(denied, operation.place());
		}
		return operation.fallback().invoke(invocation, () -> new RateLimitExceededException(denied, operation.place()));
	}

}
