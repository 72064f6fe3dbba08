/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

/**
 * What a failed call leaves behind if no transaction was begun in it, so that nothing
 * tells whether it has changed anything.
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
