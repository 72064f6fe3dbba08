// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

/**
 * Finds the token of a caller that is known only on subscription to a result, and not on
 * the thread that calls a method. So it cannot check methods with plain results and
 * futures: these fail the start.
 */
@FunctionalInterface
public interface SubscriberToken extends CurrentToken {

}
