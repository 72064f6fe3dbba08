// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.ArrayList;
import java.util.List;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.FallbackMethod;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The breaker of one method.
 */
record BreakerOperation(BreakerSettings settings, List<String> name, @Nullable MethodExpression key,
		@Nullable FallbackMethod fallback, ResultForm form, GuardDescription description) implements GuardedOperation {

	/** Returns the name and the parts of the key. */
	List<String> parts(MethodInvocation invocation) {
		if (this.key == null) {
			return this.name;
		}
		List<String> parts = new ArrayList<>(this.name);
		parts.addAll(KeyText.of(this.key.evaluate(invocation), this.key));
		return parts;
	}

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description);
	}

}
