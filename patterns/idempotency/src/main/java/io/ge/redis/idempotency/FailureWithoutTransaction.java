// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency;

/**
 * State of the key after a call that failed without a transaction, so that its effect is
 * unknown.
 */
public enum FailureWithoutTransaction {

	/**
	 * The key is closed: repetitions are refused with {@link OutcomeUnknownException}
	 * until the retention ends.
	 */
	UNKNOWN,

	/**
	 * The key is freed: a repetition runs the method again. For methods that change
	 * nothing before they fail, or whose changes may happen twice.
	 */
	RELEASE

}
