// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

/**
 * A listener that is called until this is closed.
 */
public interface ChangeSubscription extends AutoCloseable {

	/**
	 * Returns the version of the last change that the listener got, or that was missed.
	 */
	long version();

	/** Ends the subscription. A call under way is completed. */
	@Override
	void close();

}
