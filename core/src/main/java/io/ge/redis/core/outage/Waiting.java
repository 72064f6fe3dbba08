// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

import io.ge.redis.RedisUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a synchronous caller for an engine: for as long as the engine's own budgets
 * allow, which end every step.
 */
public final class Waiting {

	private Waiting() {
	}

	/**
	 * Waits for a stage that is certain to end soon. An interrupt is kept for the caller
	 * and does not shorten the wait: a decision that was sent must be known.
	 */
	public static <T extends @Nullable Object> T await(CompletionStage<T> stage) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return stage.toCompletableFuture().get();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException ex) {
			throw asUnchecked((ex.getCause() != null) ? ex.getCause() : ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Waits for a future that may take long. An interrupt is kept for the caller and
	 * cancels the future. One that completed before belongs to the caller, who would
	 * otherwise keep something unknown.
	 */
	public static <T extends @Nullable Object> T awaitInterruptibly(CompletableFuture<T> future,
			Function<InterruptedException, ? extends RuntimeException> interruption) {
		try {
			return future.get();
		}
		catch (InterruptedException ex) {
			boolean cancelled = future.cancel(false);
			Thread.currentThread().interrupt();
			if (cancelled) {
				throw interruption.apply(ex);
			}
			return await(future);
		}
		catch (ExecutionException ex) {
			return await(future); // throws the cause
		}
	}

	/**
	 * Returns the actual failure of a stage.
	 */
	public static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private static RuntimeException asUnchecked(Throwable failure) {
		Throwable cause = cause(failure);
		if (cause instanceof Error error) {
			throw error;
		}
		if (cause instanceof RedisUnavailableException unavailable) {
			return unavailable.ofCaller();
		}
		return (cause instanceof RuntimeException unchecked) ? unchecked : new CompletionException(cause);
	}

}
