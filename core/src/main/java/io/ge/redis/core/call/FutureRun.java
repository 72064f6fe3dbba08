// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The call of a method that returns a future. It begins when the method is called, and is
 * over when the future is complete. Cancelling the future cancels the future of the
 * method.
 */
final class FutureRun<A extends @Nullable Object> extends CallRun<A> {

	private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

	private final Executor executor;

	private volatile @Nullable CompletionStage<?> followed;

	/**
	 * Creates the run.
	 * @param executor runs the steps after an answer, with the context of this thread
	 */
	FutureRun(GuardedCall<A> call, UnaryOperator<Throwable> refusal, Executor executor) {
		super(call, refusal);
		this.executor = executor;
	}

	/**
	 * Begins the call.
	 * @param starter runs the first step
	 */
	CompletableFuture<@Nullable Object> begin(Executor starter) {
		this.result.whenComplete((value, failure) -> {
			if (this.result.isCancelled()) {
				abandoning();
			}
			// Otherwise completed, such as by orTimeout: no caller waits any more
			leave();
		});
		starter.execute(this::run);
		return this.result;
	}

	/**
	 * Waits for the answer on the thread of a transaction: elsewhere the method would be
	 * outside of it. Such a thread is no event loop. An interrupt ends the wait and the
	 * call, and releases its request.
	 */
	@Override
	CompletableFuture<A> ask(GuardedCall<A> call) {
		CompletableFuture<A> asked = call.ask();
		if (TransactionSynchronizationManager.isActualTransactionActive()) {
			if (call.isCancellable()) {
				Waiting.awaitInterruptibly(asked, call::interrupted);
			}
			else {
				Waiting.await(asked);
			}
		}
		return asked;
	}

	@Override
	void hop(Runnable step) {
		this.executor.execute(step);
	}

	@Override
	void follow(@Nullable Object promise, GuardedCall.Work decided) {
		if (!(promise instanceof CompletionStage<?> stage)) {
			throw new IllegalStateException("The method has returned " + promise + " instead of a future");
		}
		this.followed = stage;
		stage.whenComplete((value, failure) -> ended(value, (failure != null) ? Waiting.cause(failure) : null));
		CompletionStage<?> interruption = decided.interruption();
		if (interruption != null) {
			interruption.whenComplete((nothing, failure) -> {
				if (failure != null) {
					// The caller gets the cause, not that its future was cancelled
					hop(() -> {
						ended(null, Waiting.cause(failure));
						stopWork();
					});
				}
			});
		}
	}

	/**
	 * Work that cannot be stopped is guarded until its end.
	 */
	@Override
	void stopWork() {
		if (this.followed instanceof Future<?> work) {
			try {
				work.cancel(true);
			}
			catch (UnsupportedOperationException ex) {
				// A stage that is nothing but a stage
			}
		}
	}

	@Override
	void deliver(@Nullable Object value, @Nullable Throwable failure) {
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(value);
		}
	}

}
