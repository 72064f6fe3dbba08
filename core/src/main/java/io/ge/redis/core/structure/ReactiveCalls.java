// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import reactor.core.publisher.Mono;

/**
 * Reactor's view of asynchronous methods:
 * {@code ReactiveCalls.mono(() -> leaderboards.addAsync("completions", agent, 1))}.
 */
public final class ReactiveCalls {

	private ReactiveCalls() {
	}

	/**
	 * Returns a publisher that calls the method for each subscriber. Cancelling the
	 * subscription does not undo the call.
	 */
	public static <T> Mono<T> mono(Supplier<? extends CompletableFuture<T>> call) {
		return Mono.fromFuture(call, true);
	}

}
