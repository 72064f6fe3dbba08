// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.state;

/**
 * Gets the changes of a workspace, one after the other, on a thread that may block. An
 * exception is logged, and the next change follows.
 */
@FunctionalInterface
public interface ChangeListener {

	/** Called with each change, in the order of versions. */
	void onChange(StateChange change);

	/**
	 * Called when changes are missing: they are no longer kept, or the workspace has
	 * expired and begun anew. A listener that mirrors the workspace takes a snapshot.
	 * @param since the last version that is known
	 * @param next the version that follows, which is not above {@code since} if the
	 * workspace has begun anew
	 */
	default void onGap(long since, long next) {
	}

}
