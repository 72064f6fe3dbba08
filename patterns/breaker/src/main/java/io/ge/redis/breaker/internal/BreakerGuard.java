// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.function.Supplier;

import io.ge.redis.core.call.GuardedCall;
import io.ge.redis.core.guard.Guard;
import io.ge.redis.core.invocation.FallbackMethod;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Admits calls while their circuit is closed.
 */
record BreakerGuard(Supplier<BreakerEngine> engine) implements Guard<BreakerOperation> {

	@Override
	public GuardedCall<?> call(BreakerOperation operation, MethodInvocation invocation) {
		BreakerEngine breakers = this.engine.get();
		FallbackMethod fallback = operation.fallback();
		return new BreakerCall(breakers, breakers.get(operation.settings(), operation.parts(invocation)),
				() -> Guard.proceed(operation, invocation), (refusal) -> {
					if (fallback == null) {
						throw refusal;
					}
					return () -> fallback.invoke(invocation, () -> refusal);
				});
	}

}
