// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.internal;

import java.util.List;

import io.ge.redis.core.call.ResultForm;
import io.ge.redis.core.invocation.GuardDescription;
import io.ge.redis.core.invocation.GuardedOperation;
import io.ge.redis.core.invocation.MethodExpression;
import org.jspecify.annotations.Nullable;

/**
 * The check of one method. With neither expression it is about the caller's token.
 */
record BlacklistOperation(BlacklistSettings list, @Nullable MethodExpression token, @Nullable MethodExpression subject,
		ResultForm form, GuardDescription description) implements GuardedOperation {

	@Override
	public List<GuardDescription> describe() {
		return List.of(this.description);
	}

}
