// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bulkhead;

import java.util.List;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.core.invocation.MethodExpression;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The bulkhead of one method.
 */
record BulkheadOperation(String name, long limit, @Nullable MethodExpression key, ResultForm form,
		GuardDescription description) implements GuardedOperation {

	List<String> entity(MethodInvocation invocation) {
		return (this.key != null) ? KeyText.of(this.key.evaluate(invocation), this.key) : List.of();
	}

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description);
	}

}
