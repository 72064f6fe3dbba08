// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.util.List;

import io.ge.redis.core.call.ResultForm;

/**
 * The annotations of one method, parsed, checked and merged with the properties:
 * immutable, made once.
 */
public interface GuardedOperation {

	List<GuardDescription> describe();

	default ResultForm form() {
		return ResultForm.PLAIN;
	}

}
