/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.call.GuardedCalls;
import io.ge.redis.core.invocation.AsyncGuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Guards annotated methods.
 */
final class RateLimitInterceptor extends AsyncGuardInterceptor<RateLimitOperation> {

	private final Supplier<DefaultRateLimiter> limiter;

	RateLimitInterceptor(RateLimitOperationSource source, GuardedCalls calls, Supplier<DefaultRateLimiter> limiter) {
		super(source, calls);
		this.limiter = limiter;
	}

	@Override
	protected @Nullable Object guardPlain(RateLimitOperation operation, MethodInvocation invocation) throws Throwable {
		List<Demand> demands = operation.demands(invocation);
		if (demands.isEmpty()) {
			return invocation.proceed();
		}
		RateLimitDecision decision = this.limiter.get().decide(demands);
		if (decision instanceof RateLimitDecision.Allowed allowed) {
			return proceed(operation, invocation, allowed);
		}
		return operation.refuse(invocation, (RateLimitDecision.Denied) decision);
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
			operation.refund(this.limiter.get(), allowed, failure);
			throw failure;
		}
	}

	@Override
	protected GuardedCall<?> call(RateLimitOperation operation, MethodInvocation invocation) {
		return new RateLimitedCall(this.limiter.get(), operation, invocation);
	}

}
