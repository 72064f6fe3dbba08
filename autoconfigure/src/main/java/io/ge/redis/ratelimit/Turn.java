/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A verdict, and how long the caller waits until it may proceed.
 *
 * @param verdict the verdict
 * @param waitNanos the time, zero or less if it may proceed at once
 */
record Turn(Verdict verdict, long waitNanos) {

	/**
	 * Completes a call when its turn has come, or gives its turn back if the caller does
	 * not wait any more.
	 */
	void settle(CompletableFuture<Verdict> call) {
		if (this.waitNanos <= 0) {
			forward(this.verdict, null, call);
			return;
		}
		call.whenComplete((done, cancelled) -> {
			if (cancelled != null) {
				this.verdict.giveBack();
			}
		});
		CompletableFuture.delayedExecutor(this.waitNanos, TimeUnit.NANOSECONDS, Runnable::run)
			.execute(() -> call.complete(this.verdict));
	}

	/**
	 * Completes a call like another one, or gives back what it took if the caller does
	 * not want it any more.
	 */
	static void forward(@Nullable Verdict verdict, @Nullable Throwable failure, CompletableFuture<Verdict> call) {
		if (verdict == null) {
			call.completeExceptionally((failure != null) ? failure : new IllegalStateException("No verdict"));
		}
		else if (!call.complete(verdict)) {
			verdict.giveBack();
		}
	}

}
