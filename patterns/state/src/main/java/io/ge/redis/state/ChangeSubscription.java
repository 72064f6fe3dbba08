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

	/** Ends it. A call that is under way ends by itself. */
	@Override
	void close();

}
