/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.outage.Waiting;
import io.ge.redis.lock.DistributedLocks.LockedWork;
import org.jspecify.annotations.Nullable;

/**
 * Work under the handle of a lock, of whatever origin.
 */
final class HandledWork {

	private HandledWork() {
	}

	/**
	 * Runs work and gives its lock up.
	 * @return completes as the work does, when the lock is given up
	 */
	static <T extends @Nullable Object> CompletionStage<T> run(LockHandle lock,
			LockedWork<? extends CompletionStage<T>, ?> work) {
		LockContext.Frame frame = LockContext.frame(lock);
		CompletionStage<T> working;
		try (LockContext.Scope scope = LockContext.bind(LockContext.none(), List.of(frame))) {
			working = Objects.requireNonNull(work.run(lock), "The work has returned null instead of a stage");
		}
		catch (Throwable ex) {
			working = CompletableFuture.failedStage(ex);
		}
		return working.handle((value, failure) -> {
			frame.leave();
			return lock.closeAsync().thenCompose((nothing) -> outcome(value, failure));
		}).thenCompose((closed) -> closed);
	}

	private static <T extends @Nullable Object> CompletionStage<T> outcome(T value, @Nullable Throwable failure) {
		return (failure != null) ? CompletableFuture.failedStage(Waiting.cause(failure))
				: CompletableFuture.completedStage(value);
	}

}
