// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;

/**
 * Finds the request that a handler answers.
 */
@FunctionalInterface
interface HandlerRequests {

	/**
	 * Returns the request, {@code null} if a handler is called by other code.
	 */
	@Nullable CurrentRequest current();

	/**
	 * Refuses handlers whose requests would not be found.
	 */
	default void require(GuardedMethod handler) {
	}

}
