/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

/**
 * What repetitions get of a response over HTTP that is larger than
 * {@code ge.redis.idempotency.max-result-size}.
 */
public enum OversizedResponse {

	/**
	 * What {@link Idempotent#recover()} returns, else they are refused with
	 * {@link ResponseLostException}, a 409.
	 */
	LOST,

	/**
	 * The status and the headers without the body, with
	 * {@code Preference-Applied: return=minimal}.
	 */
	MINIMAL

}
