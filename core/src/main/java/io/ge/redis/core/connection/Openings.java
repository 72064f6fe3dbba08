// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The connections that are being opened. A driver whose threads are stopped while it
 * connects logs errors. So closing lets openings under way finish and refuses others.
 * <p>
 * An opening registers before it checks whether it may begin, and closing forbids
 * openings before it reads the registered ones. So none is missed in either order.
 */
final class Openings {

	private final Set<CompletableFuture<Void>> underWay = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	<T> CompletionStage<T> begin(Supplier<CompletionStage<T>> opening) {
		CompletableFuture<Void> ended = new CompletableFuture<>();
		this.underWay.add(ended);
		if (this.closed) {
			end(ended);
			return CompletableFuture.failedFuture(new NotConnectedException("Closed", null));
		}
		return begun(opening).whenComplete((opened, failure) -> end(ended));
	}

	private static <T> CompletionStage<T> begun(Supplier<CompletionStage<T>> opening) {
		try {
			return opening.get();
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void end(CompletableFuture<Void> ended) {
		this.underWay.remove(ended);
		ended.complete(null);
	}

	/**
	 * Refuses new openings and waits for openings under way.
	 */
	void close(Duration patience) {
		this.closed = true;
		CompletableFuture.allOf(this.underWay.toArray(CompletableFuture[]::new))
			.completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS)
			.join();
	}

}
