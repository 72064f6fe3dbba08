// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.stream;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.invocation.NotConfiguredException;
import io.ge.redis.core.outage.Waiting;

/**
 * The dead letters of streams: listed, published again, or removed. Each is kept for
 * {@code dead-letter.ttl} after the last one of its stream.
 * <p>
 * All methods fail with {@link NotConfiguredException} for a name that is not defined.
 */
public interface DeadLetters {

	/**
	 * Lists dead letters, the newest first. Redis: one script call for each stream of a
	 * family.
	 * @return completes with the letters
	 */
	CompletableFuture<List<DeadLetter>> listAsync(String stream, int most);

	/**
	 * Publishes a dead letter again and removes it from the list, in one script: two who
	 * do it at the same time publish it once. It is delivered to the group that gave it
	 * up. Redis: one script call.
	 * @param id as {@link DeadLetter#id()}
	 * @return completes with whether there was such a letter, or exceptionally with
	 * {@link StreamFullException}
	 */
	CompletableFuture<Boolean> replayAsync(String stream, String id);

	/**
	 * Removes a dead letter. Redis: one script call.
	 * @param id as {@link DeadLetter#id()}
	 * @return completes with whether there was such a letter
	 */
	CompletableFuture<Boolean> deleteAsync(String stream, String id);

	/**
	 * Returns an empty list of dead letters, for where streams are switched off.
	 */
	static DeadLetters unguarded() {
		return StandIn.of(DeadLetters.class, Map.of());
	}

	/** Lists dead letters and waits for it, as {@link #listAsync} does. */
	default List<DeadLetter> list(String stream, int most) {
		return Waiting.await(listAsync(stream, most));
	}

	/** Publishes a dead letter again and waits for it, as {@link #replayAsync} does. */
	default boolean replay(String stream, String id) {
		return Waiting.await(replayAsync(stream, id));
	}

	/** Removes a dead letter and waits for it, as {@link #deleteAsync} does. */
	default boolean delete(String stream, String id) {
		return Waiting.await(deleteAsync(stream, id));
	}

}
