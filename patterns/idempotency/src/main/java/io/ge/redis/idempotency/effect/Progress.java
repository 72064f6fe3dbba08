/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.effect;

import io.ge.redis.core.transaction.ThreadTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

/**
 * How far a call has come. Not bound to a thread: what stands between the guard and the
 * method may run it on another one.
 */
public final class Progress {

	private @Nullable Object result;

	private volatile boolean reached;

	private volatile boolean returned;

	private volatile boolean running;

	private volatile boolean apart;

	private volatile boolean undone;

	private @Nullable TransactionParticipant callers;

	/**
	 * Sets what takes part in the caller's transaction, if that is one of this thread.
	 */
	public void calledWithin(TransactionParticipant callers) {
		this.callers = callers;
	}

	/**
	 * The call has come to the method, be it again: what an earlier attempt has returned
	 * is no longer its result.
	 */
	public void reach() {
		this.returned = false;
		this.result = null;
		this.undone = false;
		this.apart = this.callers != null && !ThreadTransactions.hasJoined(this.callers);
		this.running = true;
		this.reached = true;
	}

	/**
	 * The method has ended, while advice around it has not.
	 */
	public void leave() {
		this.running = false;
	}

	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Returns whether the caller's transaction was suspended while the method ran, so
	 * that its end does not decide on what the method has done.
	 */
	public boolean isApart() {
		return this.apart;
	}

	/**
	 * A savepoint that was set around the method was rolled back.
	 */
	public void undo() {
		this.undone = true;
	}

	public boolean isUndone() {
		return this.undone;
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
