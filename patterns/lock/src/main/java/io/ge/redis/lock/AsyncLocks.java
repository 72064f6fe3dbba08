// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.DistributedLocks.LockedWork;
import org.jspecify.annotations.Nullable;

/**
 * Work under the handle of a lock, of whatever origin.
 */
final class AsyncLocks {

	private AsyncLocks() {
	}

	/**
	 * Takes a lock on another thread.
	 * @param taking takes it, and may wait
	 * @param closing gives up what comes when nobody wants it any more
	 * @return completes with the lock; cancelling the stage before gives it up
	 */
	static <T> CompletionStage<T> take(Supplier<T> taking, Consumer<T> closing) {
		CompletableFuture<T> taken = new CompletableFuture<>();
		taken.defaultExecutor().execute(() -> {
			if (taken.isDone()) {
				return;
			}
			try {
				T lock = taking.get();
				if (!taken.complete(lock)) {
					closing.accept(lock);
				}
			}
			catch (Throwable ex) {
				taken.completeExceptionally(ex);
			}
		});
		return taken;
	}

	/**
	 * Runs work and gives its lock up.
	 * @param taking completes with the lock
	 * @return completes as the work does, when the lock is given up; cancelling the stage
	 * cancels the work
	 */
	static <T extends @Nullable Object> CompletionStage<T> run(CompletionStage<? extends LockHandle> taking,
			LockedWork<? extends CompletionStage<T>, ?> work) {
		CompletableFuture<T> result = new CompletableFuture<>();
		taking.whenComplete((lock, failure) -> {
			if (failure != null) {
				result.completeExceptionally(Waiting.cause(failure));
			}
			else if (result.isDone()) {
				lock.closeAsync();
			}
			else {
				run(lock, work, result);
			}
		});
		return result;
	}

	private static <T extends @Nullable Object> void run(LockHandle lock,
			LockedWork<? extends CompletionStage<T>, ?> work, CompletableFuture<T> result) {
		BoundLocks.Frame frame = new BoundLocks.Frame(lock);
		CompletionStage<T> working = begin(frame, lock, work);
		result.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				cancel(working);
			}
		});
		working.whenComplete((value, failure) -> {
			frame.leave();
			lock.closeAsync().whenComplete((closed, notClosed) -> {
				Throwable end = (failure != null) ? failure : notClosed;
				if (end != null) {
					result.completeExceptionally(Waiting.cause(end));
				}
				else {
					result.complete(value);
				}
			});
		});
	}

	private static <T extends @Nullable Object> CompletionStage<T> begin(BoundLocks.Frame frame, LockHandle lock,
			LockedWork<? extends CompletionStage<T>, ?> work) {
		try (LockContext.Scope scope = BoundLocks.bind(List.of(), List.of(frame))) {
			return Objects.requireNonNull(work.run(lock), "The work has returned null instead of a stage");
		}
		catch (Throwable ex) {
			return CompletableFuture.failedStage(ex);
		}
	}

	/**
	 * Work that cannot be stopped keeps its lock until its end.
	 */
	private static void cancel(CompletionStage<?> working) {
		if (working instanceof Future<?> future) {
			try {
				future.cancel(true);
			}
			catch (UnsupportedOperationException ex) {
				// A stage that is nothing but a stage
			}
		}
	}

}
