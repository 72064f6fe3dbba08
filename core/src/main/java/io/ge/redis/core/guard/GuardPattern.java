// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.guard;

/**
 * A pattern that an application uses: its bean exists if annotations, injected APIs or
 * properties need it.
 */
public interface GuardPattern {

	/**
	 * Runs the checks that need all annotated methods.
	 */
	default void verify() {
	}

	/**
	 * Starts what runs in the background, for the first time or again.
	 */
	default void resume() {
	}

	/**
	 * Stops what runs in the background.
	 */
	default void pause() {
	}

}
