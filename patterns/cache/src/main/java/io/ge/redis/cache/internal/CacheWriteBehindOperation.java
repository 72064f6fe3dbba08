// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal;

import java.util.List;
import java.util.function.Supplier;

import io.ge.redis.cache.internal.engine.CacheKey;
import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * A writer to a cache that is written behind.
 */
record CacheWriteBehindOperation(String cache, MethodExpression key, @Nullable MethodExpression value, ResultForm form,
		Supplier<GuardDescription> description) implements GuardedOperation {

	CacheKey key(MethodInvocation invocation) {
		return CacheKey.of(this.cache, this.key.evaluate(invocation), this.key);
	}

	@Nullable Object value(MethodInvocation invocation, @Nullable Object result) {
		Object plain = CacheAttributes.unwrapped(result);
		return (this.value != null) ? CacheAttributes.unwrapped(this.value.evaluate(invocation, plain)) : plain;
	}

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description.get());
	}

}
