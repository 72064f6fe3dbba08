/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Values that are there, on the thread that works on them.
 */
final class PlainPromises implements Promises {

	@Override
	public @Nullable Object of(@Nullable Object value) {
		return value;
	}

	@Override
	public @Nullable Object recovered(GuardedCall.Work work,
			Function<Throwable, CompletableFuture<@Nullable Object>> recovery) throws Throwable {
		try {
			return work.start();
		}
		catch (Throwable failure) {
			CompletableFuture<@Nullable Object> instead = recovery.apply(failure);
			Throwable problem = Waiting.await(instead.<@Nullable Throwable>handle((value, ex) -> ex));
			if (problem != null) {
				// As it was thrown, which may be checked
				throw (problem == failure) ? failure : Waiting.cause(problem);
			}
			return instead.join();
		}
	}

	@Override
	public @Nullable Object then(@Nullable Object promise, Next next) throws Throwable {
		return next.after(promise);
	}

	@Override
	public CompletableFuture<@Nullable Object> follow(@Nullable Object promise, @Nullable Object context) {
		return CompletableFuture.completedFuture(promise);
	}

}
