// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

/**
 * An open subscription.
 */
public interface PushSubscription extends AutoCloseable {

	@Override
	void close();

}
