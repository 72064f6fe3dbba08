// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import org.jspecify.annotations.Nullable;

/**
 * Finds the token of the current caller, so that the blacklist need not know how callers
 * are authenticated. With Spring Security and its JWT support on the classpath there is a
 * bean of this type, in a reactive web application a {@link SubscriberToken}; an
 * application may bring its own.
 */
@FunctionalInterface
public interface CurrentToken {

	/**
	 * Returns the token of the current caller. It must have been verified: a caller who
	 * can choose an id freely can avoid the revoked ones.
	 * @return the token, or {@code null} if the caller is not authenticated at all; a
	 * caller authenticated by something else has a token without id
	 */
	@Nullable TokenIdentity currentToken();

}
