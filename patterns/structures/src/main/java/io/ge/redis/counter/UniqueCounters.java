// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.counter;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;

/**
 * The counters of different values that are configured below
 * {@code ge.redis.counter.counters}: a HyperLogLog for each window.
 * <p>
 * A count is an estimate with a standard error of 0.81 %; counts of a few hundred are
 * nearly exact. A window takes at most 12 KB. Values are not kept, so none can be
 * removed.
 * <p>
 * Redis: one script call or command each, O(1) for each value that is added. Counting
 * several windows together takes about 10 us for each and leaves no keys. All keys of a
 * counter are in one slot. All calls may be repeated.
 * <p>
 * All methods throw {@link io.ge.redis.core.invocation.NotConfiguredException} for
 * counters that are not configured, and
 * {@link io.ge.redis.core.structure.StructureMismatchException} if the key of a counter
 * holds something else.
 */
public interface UniqueCounters {

	/**
	 * Counts values in the current window, each of them once.
	 * @param values from 1 to 1000, each of 1 to 200 bytes
	 * @return completes with whether the estimate has changed
	 */
	CompletableFuture<Boolean> addAsync(String counter, Collection<String> values);

	/**
	 * Returns how many different values there were in the last windows together.
	 * @param windows from 1, the current one only, to 1000, as far as the TTL of the
	 * counter goes
	 */
	CompletableFuture<Long> countAsync(String counter, int windows);

	/** Counts a value, as {@link #addAsync}, and waits for the answer. */
	default boolean add(String counter, String value) {
		return BlockingCalls.await("UniqueCounters.add", () -> addAsync(counter, List.of(value)));
	}

	/**
	 * Returns how many different values there were in the last windows together, as
	 * {@link #countAsync}, and waits for the answer.
	 */
	default long count(String counter, int windows) {
		return BlockingCalls.await("UniqueCounters.count", () -> countAsync(counter, windows));
	}

	/** Returns how many different values there were in the current window. */
	default long count(String counter) {
		return count(counter, 1);
	}

	/** Returns counters that count nothing, for where they are switched off. */
	static UniqueCounters unguarded() {
		return StandIn.of(UniqueCounters.class, Map.of("add", (call) -> true));
	}

}
