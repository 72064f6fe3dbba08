// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.ge.redis.core.structure.BlockingCalls;

/**
 * Remembers ids for a while, so that each can be used once, on whatever instance: proofs
 * of possession (DPoP), links that log in, nonces.
 * <p>
 * Redis cost: one script call and one round trip for each use, which waits at most
 * {@code ge.redis.outage.command-timeout}. One key for each id, which holds its hash,
 * until it is forgotten.
 * <p>
 * A use of unknown outcome counts as one: after an outage, try again with a new id. Ids
 * that Redis loses, by a flush, an eviction or a failover to a replica that lagged
 * behind, can be used again.
 */
public interface UsedIds {

	/**
	 * Uses an id.
	 * @param kind what the id is for; ids of different kinds do not meet
	 * @param id the id, any text
	 * @param remembered for how long it must not be used again, at least a millisecond
	 * @return whether this is its first use
	 * @throws IllegalArgumentException if the time is shorter
	 * @throws io.ge.redis.RedisUnavailableException if Redis is unavailable; the id may
	 * be used up
	 */
	default boolean use(String kind, String id, Duration remembered) {
		return BlockingCalls.await("UsedIds.use", () -> useAsync(kind, id, remembered).toCompletableFuture());
	}

	/** Uses an id without blocking, as {@link #use}. */
	CompletionStage<Boolean> useAsync(String kind, String id, Duration remembered);

	/**
	 * Returns used ids that need no Redis, as they are injected where blacklists are
	 * switched off, and for unit tests. They remember nothing, so that each use is the
	 * first.
	 * @return the used ids
	 */
	static UsedIds unguarded() {
		return (kind, id, remembered) -> CompletableFuture.completedFuture(true);
	}

}
