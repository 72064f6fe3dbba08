/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.function.Supplier;

import io.ge.redis.core.invocation.GuardInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Lets admitted calls through.
 */
final class RateLimitInterceptor extends GuardInterceptor<RateLimitOperation> {

	private final Supplier<DefaultRateLimiter> limiter;

	RateLimitInterceptor(RateLimitOperationSource source, Supplier<DefaultRateLimiter> limiter) {
		super(source);
		this.limiter = limiter;
	}

	@Override
	protected @Nullable Object guard(RateLimitOperation operation, MethodInvocation invocation) throws Throwable {
		RateLimitDecision decision = this.limiter.get().decide(operation.demands(invocation));
		if (!(decision instanceof RateLimitDecision.Denied denied)) {
			return invocation.proceed();
		}
		RateLimitExceededException refusal = new RateLimitExceededException(denied);
		if (operation.fallback() == null) {
			throw refusal;
		}
		return operation.fallback().invoke(invocation, refusal);
	}

}
