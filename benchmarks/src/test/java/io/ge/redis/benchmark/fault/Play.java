// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.benchmark.fault;

import io.ge.redis.test.fault.FaultRun;

/**
 * One scenario with one implementation.
 *
 * @param run counts and judges
 * @param body what is played
 */
record Play(FaultRun run, Body body) {

	Outcome play() {
		try {
			this.body.play();
		}
		catch (Exception | AssertionError ex) {
			// Such as Awaitility's, which say what did not come
			this.run.violation("ended early: " + ex.toString().lines().findFirst().orElse(""));
		}
		this.run.record();
		return Outcome.of(this.run);
	}

	/**
	 * What is played.
	 */
	@FunctionalInterface
	interface Body {

		/**
		 * Plays it.
		 * @throws Exception if it cannot be played
		 */
		void play() throws Exception;

	}

}
