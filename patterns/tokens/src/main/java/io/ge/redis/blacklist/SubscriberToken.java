// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

/**
 * Finds the token of a caller who is known only where he subscribes to a result, and not
 * by the thread that calls a method. So methods with plain results and futures cannot be
 * checked by it, which fails the start.
 */
@FunctionalInterface
public interface SubscriberToken extends CurrentToken {

}
