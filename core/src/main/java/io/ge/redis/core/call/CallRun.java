// SPDX-License-Identifier: Apache-2.0

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

		/** The work has not begun. */
		ASKING,

		/** The method is called, and its work continues. */
		WORKING,

		/** The work has ended, or will never begin. */
		OVER

	}

	private final GuardedCall<A> call;

	private final UnaryOperator<Throwable> refusal;

	private final AtomicReference<State> state = new AtomicReference<>(State.ASKING);

	private volatile @Nullable CompletableFuture<A> asked;

	private volatile GuardedCall.Work work = () -> null;

	private volatile boolean begun;

	private volatile boolean abandoned;

	/**
	 * Creates the run.
	 * @param refusal translates a refusal for the caller
	 */
	CallRun(GuardedCall<A> call, UnaryOperator<Throwable> refusal) {
		this.call = call;
		this.refusal = refusal;
	}

	/**
	 * Begins the call, again if the caller had to be looked up first.
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

	// Otherwise the answer is released on arrival
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
		if (this.state.get() == State.OVER) {
			this.call.release(answer);
			return;
		}
		GuardedCall.Work decided;
		try {
			decided = decide(this.call, answer);
		}
		catch (Throwable ex) {
			refuse(this.refusal.apply(ex));
			return;
		}
		this.work = decided;
		if (this.state.compareAndSet(State.ASKING, State.WORKING)) {
			start(decided);
		}
		else {
			this.call.release(answer);
		}
	}

	private void refuse(Throwable refusal) {
		if (this.state.compareAndSet(State.ASKING, State.OVER)) {
			deliver(null, refusal);
		}
	}

	private void start(GuardedCall.Work decided) {
		try {
			decided.begin(() -> follow(decided.start(), decided));
		}
		catch (Throwable ex) {
			ended(null, ex);
			return;
		}
		// Work can be stopped once it has begun, not while it begins
		this.begun = true;
		if (this.abandoned) {
			stopWork();
		}
	}

	/**
	 * The work has ended by itself.
	 */
	final void ended(@Nullable Object value, @Nullable Throwable failure) {
		Class<?> ongoing = (failure == null) ? OngoingResults.find(value) : null;
		Throwable refused = (ongoing != null) ? this.refusal.apply(new OngoingResultException(ongoing)) : null;
		// Only annotated methods refuse it; other code knows what it returns
		if (refused != null && !(refused instanceof OngoingResultException)) {
			ended(null, refused);
			return;
		}
		if (!this.state.compareAndSet(State.WORKING, State.OVER)) {
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
		try {
			return this.work.end(value, failure);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void finish(@Nullable Object value, @Nullable Throwable failure, @Nullable Throwable problem) {
		Throwable unended = (problem != null) ? Waiting.cause(problem) : null;
		try {
			if (problem == null) {
				this.work.publishCompletion();
			}
		}
		catch (Throwable ex) {
			unended = ex;
		}
		if (failure != null && unended != null && failure != unended) {
			failure.addSuppressed(unended);
		}
		Throwable delivered = (failure != null) ? failure : unended;
		deliver((delivered == null) ? value : null, delivered);
	}

	/**
	 * Takes cancellations of the work from now on for the end of an abandoned call.
	 */
	final void abandoning() {
		this.abandoned = true;
	}

	final boolean isAbandoned() {
		return this.abandoned;
	}

	/**
	 * Ends a call without a waiting caller if its work has not begun. Otherwise stops the
	 * work if the call is abandoned.
	 */
	final void leave() {
		if (this.state.compareAndSet(State.ASKING, State.OVER)) {
			CompletableFuture<A> asking = this.asked;
			if (asking != null) {
				cancel(asking);
			}
		}
		else if (this.abandoned && this.begun) {
			stopWork();
		}
	}

	/**
	 * Treats the work as ended, since no caller waits and no further signal will come.
	 * @return whether it had not ended by itself
	 */
	final boolean abandon() {
		if (!this.state.compareAndSet(State.WORKING, State.OVER)) {
			return false;
		}
		end(null, new AbandonedException());
		return true;
	}

	abstract CompletableFuture<A> ask(GuardedCall<A> call) throws Throwable;

	GuardedCall.Work decide(GuardedCall<A> call, A answer) throws Throwable {
		return call.decide(answer);
	}

	/**
	 * Runs a step on a thread of the application.
	 */
	abstract void hop(Runnable step);

	/**
	 * Follows the work that was started, until it ends.
	 */
	abstract void follow(@Nullable Object promise, GuardedCall.Work decided) throws Throwable;

	/**
	 * Stops the work, as far as that can be done.
	 */
	abstract void stopWork();

	/**
	 * Passes the result on, unless the call is over for its caller.
	 */
	abstract void deliver(@Nullable Object value, @Nullable Throwable failure);

}
