// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.ratelimit.internal;

import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Admits calls that have the permits of all their limits.
 */
record RateLimitGuard(Supplier<DefaultRateLimiter> limiter) implements Guard<RateLimitOperation> {

	@Override
	public GuardedCall<?> call(RateLimitOperation operation, MethodInvocation invocation) {
		return new RateLimitedCall(this.limiter.get(), operation, invocation);
	}

}
