// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.ge.redis.core.invocation.EventLoops;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The blocking twin of an asynchronous method.
 */
public final class BlockingCalls {

	private BlockingCalls() {
	}

	/**
	 * Calls the asynchronous method and waits for its answer.
	 * @param method the blocking method, such as {@code Leaderboards.add}; the
	 * asynchronous one is named as it is, with {@code Async} behind
	 * @throws IllegalStateException on a thread that must not wait, before anything is
	 * sent
	 */
	public static <T extends @Nullable Object> T await(String method, Supplier<? extends CompletableFuture<T>> call) {
		if (EventLoops.isCurrent()) {
			EventLoops.forbidWaiting(method, method.substring(method.indexOf('.') + 1) + "Async");
		}
		return Waiting.await(call.get());
	}

}
