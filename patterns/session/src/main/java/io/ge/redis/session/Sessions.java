// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.session;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;

/**
 * The sessions of a principal, on all instances. Requests use {@code HttpSession} or
 * {@code WebSession} as usual.
 * <p>
 * Redis: one script call on the index of the principal, and one for each session, which
 * are in flight together. Methods complete exceptionally with
 * {@link io.ge.redis.RedisUnavailableException} if Redis does not answer within
 * {@code ge.redis.outage.command-timeout}. The method without {@code Async} in its name
 * waits for the same.
 */
public interface Sessions {

	/** Lists at most 1,000 sessions of a principal, and extends none. */
	CompletableFuture<List<Info>> listAsync(String principal);

	/**
	 * Ends one session, if there is one.
	 * @param id its id, also a former one, or the id of an {@link Info}
	 */
	CompletableFuture<Boolean> endAsync(String id);

	/**
	 * Ends all sessions of a principal, those included that are about to be saved, and
	 * returns their number. With {@code ge.redis.session.follow-blacklist} this also
	 * calls {@code TokenBlacklist.revokeAll(null, principal)}.
	 */
	CompletableFuture<Integer> endAllAsync(String principal);

	default List<Info> list(String principal) {
		return BlockingCalls.await("Sessions.list", () -> listAsync(principal));
	}

	default boolean end(String id) {
		return BlockingCalls.await("Sessions.end", () -> endAsync(id));
	}

	default int endAll(String principal) {
		return BlockingCalls.await("Sessions.endAll", () -> endAllAsync(principal));
	}

	/** Returns an implementation that needs no Redis and knows no session. */
	static Sessions unguarded() {
		return StandIn.of(Sessions.class, Map.of());
	}

	/**
	 * A session.
	 *
	 * @param id a name for the id, which Redis does not have: each instance ends the
	 * session by it, only this one finds it
	 * @param createdAt the time of creation by the clock of Redis
	 * @param lastAccessedAt the time of the last request by the clock of Redis
	 * @param timeout the time for which the session lives without a request
	 * @param attributes the sizes of its attributes in bytes, by name
	 */
	record Info(String id, Instant createdAt, Instant lastAccessedAt, Duration timeout,
			Map<String, Integer> attributes) {
	}

}
