// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A revocation or blocking that Redis has taken.
 */
public interface Revocation {

	/**
	 * Returns whether anything is stored.
	 * @return {@code false} if the token had expired, so that there was nothing to do
	 */
	default boolean isStored() {
		return !timeToLive().isZero();
	}

	/**
	 * Returns how long it is kept in Redis.
	 * @return the time from now, zero if nothing is stored
	 */
	Duration timeToLive();

	/**
	 * Waits until every instance knows of the revocation, or no longer answers from
	 * memory but asks Redis. That usually takes milliseconds, and at most
	 * {@code ge.redis.blacklist.max-staleness} while Redis answers, also for instances
	 * that are cut off or hang. It takes that long at the first use and after a flush,
	 * when Redis does not know yet which instances answer from memory.
	 * <p>
	 * Then every instance refuses, with three exceptions. Without an answer of Redis an
	 * instance applies its policy: {@code allow} and {@code local} admit tokens whose
	 * revocation it has not received. An instance that reaches only an old primary, cut
	 * off after a failover, follows that one. The wait may also end early, by the longest
	 * staleness, in three cases. A replica that lagged behind took over, or the clock of
	 * the server jumps ahead. Or the machine of an instance was suspended, and its
	 * {@link System#nanoTime()} with it.
	 * <p>
	 * Cost: a script call, again after 2 ms, 4 ms, and so on up to every 50 ms.
	 * @param timeout how long to wait at most
	 * @return {@code true} if every instance refuses, {@code false} if that was not
	 * certain in time, because Redis did not answer or the thread was interrupted. Its
	 * interrupt status is kept
	 */
	boolean awaitPropagation(Duration timeout);

	/** Waits without blocking the thread, as {@link #awaitPropagation}. */
	default CompletionStage<Boolean> awaitPropagationAsync(Duration timeout) {
		return CompletableFuture.supplyAsync(() -> awaitPropagation(timeout));
	}

}
