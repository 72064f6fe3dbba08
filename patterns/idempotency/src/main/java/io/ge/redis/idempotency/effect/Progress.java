/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.effect;

import org.jspecify.annotations.Nullable;

/**
 * How far a call has come. Not bound to a thread: what stands between the guard and the
 * method may run it on another one.
 */
public final class Progress {

	private @Nullable Object result;

	private volatile boolean reached;

	private volatile boolean returned;

	/**
	 * The call has come to the method, be it again: what an earlier attempt has returned
	 * is no longer its result.
	 */
	public void reach() {
		this.returned = false;
		this.result = null;
		this.reached = true;
	}

	public boolean isReached() {
		return this.reached;
	}

	public void returned(@Nullable Object result) {
		this.result = result;
		this.returned = true;
	}

	boolean hasReturned() {
		return this.returned;
	}

	@Nullable Object result() {
		return this.result;
	}

}
