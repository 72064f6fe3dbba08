/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.call;

import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A call that waits for its answer on the thread that asks. An interrupt ends the wait,
 * and the call: what it has asked for is given back.
 *
 * @param call the call
 * @param <A> the answer
 */
record WaitingCall<A extends @Nullable Object>(GuardedCall<A> call) implements GuardedCall<A> {

	@Override
	public CompletableFuture<A> ask() {
		CompletableFuture<A> asked = this.call.ask();
		try {
			return CompletableFuture.completedFuture(this.call.isCancellable()
					? Waiting.awaitInterruptibly(asked, this.call::interrupted) : Waiting.await(asked));
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public Work decide(A answer) throws Throwable {
		return this.call.decide(answer);
	}

	@Override
	public void giveBack(A answer) {
		this.call.giveBack(answer);
	}

}
