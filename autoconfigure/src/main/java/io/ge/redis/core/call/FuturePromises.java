/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Futures.
 */
final class FuturePromises implements Promises {

	@Override
	public Object of(@Nullable Object value) {
		return CompletableFuture.completedFuture(value);
	}

	@Override
	public Object recovered(GuardedCall.Work work, Function<Throwable, CompletableFuture<@Nullable Object>> recovery) {
		CompletableFuture<@Nullable Object> first = started(work);
		CompletableFuture<@Nullable Object> recovered = new CompletableFuture<>();
		first.whenComplete((value, failure) -> {
			if (failure == null) {
				recovered.complete(value);
			}
			else {
				pass(recovery.apply(Waiting.cause(failure)), recovered);
			}
		});
		cancelWith(recovered, first);
		return recovered;
	}

	@Override
	public Object then(@Nullable Object promise, Next next) {
		CompletableFuture<@Nullable Object> first = follow(promise, null);
		CompletableFuture<@Nullable Object> last = new CompletableFuture<>();
		first.whenComplete((value, failure) -> {
			if (failure != null) {
				last.completeExceptionally(Waiting.cause(failure));
				return;
			}
			CompletableFuture<@Nullable Object> second = started(() -> next.after(value));
			pass(second, last);
			cancelWith(last, second);
		});
		cancelWith(last, first);
		return last;
	}

	private CompletableFuture<@Nullable Object> started(GuardedCall.Work work) {
		try {
			return follow(work.start(), null);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static void cancelWith(CompletableFuture<?> wanted, CompletableFuture<?> work) {
		wanted.whenComplete((value, failure) -> {
			if (wanted.isCancelled()) {
				work.cancel(true);
			}
		});
	}

	@Override
	public CompletableFuture<@Nullable Object> follow(@Nullable Object promise, @Nullable Object context) {
		if (!(promise instanceof CompletionStage<?> stage)) {
			return CompletableFuture
				.failedFuture(new IllegalStateException("The method has returned " + promise + " instead of a future"));
		}
		CompletableFuture<@Nullable Object> followed = new CompletableFuture<>();
		pass(stage, followed);
		followed.whenComplete((value, failure) -> {
			if (followed.isCancelled() && stage instanceof Future<?> work) {
				work.cancel(true);
			}
		});
		return followed;
	}

	private static void pass(CompletionStage<? extends @Nullable Object> from, CompletableFuture<@Nullable Object> to) {
		from.whenComplete((value, failure) -> {
			if (failure == null) {
				to.complete(value);
			}
			else {
				to.completeExceptionally(Waiting.cause(failure));
			}
		});
	}

}
