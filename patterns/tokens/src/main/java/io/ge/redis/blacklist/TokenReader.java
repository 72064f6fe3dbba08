// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import org.jspecify.annotations.Nullable;

/**
 * Reads token objects of one kind, for {@code @BlacklistCheck(token = ...)}. Beans of
 * this type are asked in order.
 */
@FunctionalInterface
public interface TokenReader {

	/**
	 * Reads a token.
	 * @param token the value of the expression
	 * @return its identity, or {@code null} if it is not of this kind
	 */
	@Nullable TokenIdentity read(Object token);

}
