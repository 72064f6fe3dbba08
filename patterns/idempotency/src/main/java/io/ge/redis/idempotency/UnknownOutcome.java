// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

/**
 * State of a key when the effect of the call that claimed it is unknown.
 */
public enum UnknownOutcome {

	/** It is closed: repetitions are refused until the retention ends. */
	BLOCK,

	/**
	 * It is freed: a repetition runs, and may have the effect a second time. An effect
	 * with a transactional record is not committed again.
	 */
	RETRY

}
