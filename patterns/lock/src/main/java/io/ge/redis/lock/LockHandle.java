// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * A lock that was acquired. The handle is the ownership, not the thread: it may be used
 * and closed on any thread.
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Returns the name of the lock.
	 */
	String name();

	/**
	 * Returns the fencing token, which stays the same for the life of the handle. It
	 * orders holders that follow each other, and not holders at the same time.
	 * @return the token; 0 if the method runs without lock since Redis is unavailable
	 */
	long token();

	/**
	 * Returns whether the lock is still held, as far as can be known without asking: by a
	 * clock of this instance, which runs out before the lease does in Redis. Costs no
	 * command.
	 * @return whether it is held
	 */
	boolean isValid();

	/**
	 * Returns the time for which the lock is certainly held without another extension.
	 * @return the time left, zero if the lock is not held
	 */
	Duration remaining();

	/**
	 * Checks that the lock is still held. Costs no command.
	 * @throws LockLostException if it is not
	 */
	void assertHeld();

	/**
	 * Releases the lock: one script call, which wakes the instance that has waited
	 * longest. If the lock was taken inside a transaction that is still active on this
	 * thread, it is released when that has completed. Closing again has no effect. Does
	 * not throw: if Redis cannot be reached, the release is repeated when it is back.
	 */
	@Override
	void close();

	/**
	 * Releases the lock without blocking, as {@link #close()}.
	 * @return completes, never exceptionally, when it is released or will be after the
	 * transaction, on a thread of the application
	 */
	default CompletionStage<@Nullable Void> closeAsync() {
		return CompletableFuture.<@Nullable Void>supplyAsync(() -> {
			close();
			return null;
		});
	}

}
