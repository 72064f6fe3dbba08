/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The course of a guarded call, the same for all forms of results. If the caller abandons
 * the call, exactly one of these happens, whatever races with it: nothing was requested,
 * the request is released, or the work is ended.
 */
abstract class CallRun<A extends @Nullable Object> {

	private enum State {

		/** Nobody knows yet whether the call may proceed. */
		ASKING,

		/** The answer is there. */
		DECIDING,

		/** The method is being called. */
		STARTING,

		/** The same, and the call is abandoned. */
		LEAVING,

		/** The method has been called. */
		WORKING,

		/** Its result is there, and not yet passed on. */
		ENDING,

		/** The result was passed on, or nobody wants it. */
		OVER;

		boolean isAtWork() {
			return this == STARTING || this == LEAVING || this == WORKING;
		}

	}

	private final GuardedCall<A> call;

	private final UnaryOperator<Throwable> refusal;

	private final AtomicReference<State> state = new AtomicReference<>(State.ASKING);

	private volatile @Nullable CompletableFuture<A> asked;

	private volatile GuardedCall.@Nullable Work work;

	private volatile boolean abandoned;

	/**
	 * Creates the run.
	 * @param refusal makes what the caller gets of a refusal
	 */
	CallRun(GuardedCall<A> call, UnaryOperator<Throwable> refusal) {
		this.call = call;
		this.refusal = refusal;
	}

	final GuardedCall.@Nullable Work work() {
		return this.work;
	}

	final @Nullable CompletionStage<?> interruption() {
		GuardedCall.Work decided = this.work;
		return (decided != null) ? decided.interruption() : null;
	}

	/**
	 * Begins the call, once more if who calls had to be looked up first.
	 */
	final void run() {
		if (this.state.get() == State.OVER) {
			return;
		}
		CompletableFuture<A> asking;
		try {
			asking = ask(this.call);
		}
		catch (PendingCaller.NotYetFoundException ex) {
			UnaryOperator<Runnable> pending = PendingCaller.capture();
			ex.search().whenComplete((found, failure) -> hop(pending.apply(this::run)));
			return;
		}
		catch (Throwable ex) {
			refuse(Waiting.cause(ex));
			return;
		}
		this.asked = asking;
		if (this.state.get() == State.OVER) {
			cancel(asking);
		}
		if (asking.isDone()) {
			asking.whenComplete(this::answered);
			return;
		}
		asking.whenComplete((answer, failure) -> {
			if (this.state.get() != State.OVER || failure == null) {
				hop(() -> answered(answer, failure));
			}
		});
	}

	// Else the answer is given back when it comes
	private void cancel(CompletableFuture<A> asking) {
		if (this.call.isCancellable()) {
			asking.cancel(false);
		}
	}

	private void answered(A answer, @Nullable Throwable failure) {
		if (failure != null) {
			refuse(Waiting.cause(failure));
			return;
		}
		if (!this.state.compareAndSet(State.ASKING, State.DECIDING)) {
			this.call.giveBack(answer);
			return;
		}
		GuardedCall.Work decided;
		try {
			decided = decide(this.call, answer);
		}
		catch (Throwable ex) {
			if (this.state.compareAndSet(State.DECIDING, State.OVER)) {
				deliver(null, this.refusal.apply(ex));
			}
			return;
		}
		this.work = decided;
		if (this.state.compareAndSet(State.DECIDING, State.STARTING)) {
			start(decided);
		}
		else {
			this.call.giveBack(answer);
		}
	}

	private void refuse(Throwable refusal) {
		if (this.state.compareAndSet(State.ASKING, State.OVER)) {
			deliver(null, refusal);
		}
	}

	private void start(GuardedCall.Work decided) {
		try {
			decided.begin(() -> follow(decided.start()));
		}
		catch (Throwable ex) {
			ended(null, ex);
			return;
		}
		// What has begun can be stopped, what is about to begin cannot
		if (!this.state.compareAndSet(State.STARTING, State.WORKING)
				&& this.state.compareAndSet(State.LEAVING, State.WORKING)) {
			stopWork();
		}
	}

	/**
	 * The work has ended by itself.
	 */
	final void ended(@Nullable Object value, @Nullable Throwable failure) {
		Class<?> ongoing = (failure == null) ? OngoingResults.find(value) : null;
		Throwable refused = (ongoing != null) ? this.refusal.apply(new OngoingResultException(ongoing)) : null;
		// Code knows what it returns, and refuses nothing; a method is known by its type
		if (refused != null && !(refused instanceof OngoingResultException)) {
			ended(null, refused);
			return;
		}
		State last = this.state.getAndUpdate((now) -> now.isAtWork() ? State.ENDING : now);
		if (!last.isAtWork()) {
			return;
		}
		boolean stopped = this.abandoned && failure instanceof CancellationException;
		CompletionStage<?> ending = end(value, stopped ? new AbandonedException() : failure);
		if (ending == GuardedCall.Work.DONE || ending.toCompletableFuture().isDone()) {
			ending.whenComplete((nothing, problem) -> finish(value, failure, problem));
		}
		else {
			ending.whenComplete((nothing, problem) -> hop(() -> finish(value, failure, problem)));
		}
	}

	private CompletionStage<?> end(@Nullable Object value, @Nullable Throwable failure) {
		GuardedCall.Work ended = this.work;
		try {
			return (ended != null) ? ended.end(value, failure) : GuardedCall.Work.DONE;
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void finish(@Nullable Object value, @Nullable Throwable failure, @Nullable Throwable problem) {
		Throwable unended = (problem != null) ? Waiting.cause(problem) : tellOfEnd();
		if (!this.state.compareAndSet(State.ENDING, State.OVER)) {
			dropped();
			return;
		}
		Throwable told = failure;
		if (unended != null) {
			if (told == null) {
				told = unended;
			}
			else if (told != unended) {
				told.addSuppressed(unended);
			}
		}
		deliver((told == null) ? value : null, told);
	}

	private @Nullable Throwable tellOfEnd() {
		GuardedCall.Work ended = this.work;
		try {
			if (ended != null) {
				ended.tellOfEnd();
			}
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	/**
	 * The call is abandoned. A call without a decision does not count as one.
	 * @param stop whether work that has begun is to be stopped
	 */
	final void leave(boolean stop) {
		if (stop) {
			stopping();
		}
		State last = this.state.getAndUpdate((now) -> left(now, stop));
		if (last == State.ASKING) {
			CompletableFuture<A> asking = this.asked;
			if (asking != null) {
				cancel(asking);
			}
		}
		else if (last == State.WORKING && stop) {
			stopWork();
		}
	}

	/**
	 * Cancellations from now on mean that the call was abandoned.
	 */
	final void stopping() {
		this.abandoned = true;
	}

	private static State left(State now, boolean stop) {
		return switch (now) {
			case STARTING -> stop ? State.LEAVING : now;
			// Ends as any other
			case LEAVING, WORKING -> now;
			default -> State.OVER;
		};
	}

	/**
	 * Takes the work for ended, since nobody waits for it and nothing more is heard of
	 * it.
	 * @return whether it had not ended by itself
	 */
	final boolean abandon() {
		if (!this.state.compareAndSet(State.WORKING, State.OVER)) {
			return false;
		}
		end(null, new AbandonedException());
		return true;
	}

	CompletableFuture<A> ask(GuardedCall<A> call) throws Throwable {
		return call.ask();
	}

	GuardedCall.Work decide(GuardedCall<A> call, A answer) throws Throwable {
		return call.decide(answer);
	}

	/**
	 * Goes on, on a thread of the application.
	 */
	abstract void hop(Runnable step);

	/**
	 * Follows the work that was started, until it ends.
	 */
	abstract void follow(@Nullable Object promise) throws Throwable;

	/**
	 * Stops the work, as far as that can be done.
	 */
	abstract void stopWork();

	/**
	 * The result is there, the guarding has ended, and nobody wants it any more.
	 */
	void dropped() {
	}

	abstract void deliver(@Nullable Object value, @Nullable Throwable failure);

}
