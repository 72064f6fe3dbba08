// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import io.ge.redis.core.transaction.ThreadTransactions;
import io.ge.redis.core.transaction.TransactionParticipant;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The progress of a call. Not bound to a thread: advice between the guard and the method
 * may run it on another one.
 */
final class Progress {

	private @Nullable Object result;

	private volatile boolean reached;

	private volatile boolean returned;

	private volatile boolean running;

	private volatile boolean apart;

	private volatile boolean undone;

	/** Whether an attempt was neither the last nor rolled back. */
	private volatile boolean survived;

	private @Nullable TransactionParticipant callers;

	private List<Object> callersResources = List.of();

	private final Set<Object> savepoints = Collections.newSetFromMap(new IdentityHashMap<>(0));

	/** Savepoints that were set before the method began. */
	private List<Object> enclosing = List.of();

	/**
	 * Sets the participant of the caller's transaction, if that is bound to this thread.
	 */
	public void calledWithin(TransactionParticipant callers) {
		this.callers = callers;
		this.callersResources = List.copyOf(TransactionSynchronizationManager.getResourceMap().values());
	}

	/**
	 * The call has reached the method, perhaps again: the result of an earlier attempt is
	 * dropped.
	 */
	public void reach() {
		this.survived |= this.reached && !this.undone;
		this.apart = (!this.reached || this.apart) && isCallerSuspended();
		this.returned = false;
		this.result = null;
		this.undone = false;
		this.enclosing = List.copyOf(this.savepoints);
		this.running = true;
		this.reached = true;
	}

	// Within a transaction of another manager the connection of the caller's stays bound
	private boolean isCallerSuspended() {
		if (this.callers == null || ThreadTransactions.hasJoined(this.callers)) {
			return false;
		}
		Collection<Object> bound = TransactionSynchronizationManager.getResourceMap().values();
		return this.callersResources.stream().noneMatch((each) -> bound.stream().anyMatch((other) -> other == each));
	}

	/**
	 * The method has ended, while advice around it has not.
	 */
	public void leave() {
		this.running = false;
	}

	/**
	 * Returns whether the caller's transaction was suspended whenever the method ran, so
	 * that its end does not decide on what the method has done.
	 */
	public boolean isApart() {
		return this.apart;
	}

	public void savepoint(Object savepoint) {
		if (!this.running) {
			this.savepoints.add(savepoint);
		}
	}

	public void rolledBackTo(Object savepoint) {
		this.undone |= this.enclosing.stream().anyMatch((each) -> each == savepoint);
	}

	/**
	 * Returns whether savepoints that were set around the method were rolled back, so
	 * that nothing of it is left.
	 */
	public boolean isUndone() {
		return this.undone && !this.survived;
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
