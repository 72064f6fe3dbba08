/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

/**
 * How far a call has come. Not bound to a thread: what stands between the guard and the
 * method may run it on another one.
 */
final class Progress {

	private volatile boolean reached;

	void reach() {
		this.reached = true;
	}

	boolean isReached() {
		return this.reached;
	}

}
