// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bloom;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;
import org.jspecify.annotations.Nullable;

/**
 * The Bloom filters that are configured below {@code ge.redis.bloom.filters}.
 * <p>
 * An added value is always found, until it is forgotten. A value that was not added is
 * found by mistake with the configured error rate, once the filter is filled to its
 * capacity. Beyond the capacity, mistakes are more frequent. A filter with a TTL has two
 * generations, each with the capacity. It forgets a value between half of the TTL and the
 * TTL after it was last added. Values can neither be removed nor read.
 * <p>
 * Redis: one script call each. All keys of a filter are in one slot. If the server has
 * {@code BF.RESERVE} when a filter is made, it is a filter of the server, else bits of a
 * string. It remains so for as long as the filter exists. All calls may be repeated, but
 * an {@link #add} that is repeated finds the value.
 * <p>
 * All methods throw {@link io.ge.redis.core.invocation.NotConfiguredException} for
 * filters that are not configured. They throw
 * {@link io.ge.redis.core.structure.StructureMismatchException} if the filter in Redis
 * has other parameters, or if its key holds something else.
 */
public interface BloomFilters {

	/**
	 * Adds values.
	 * @param values from 1 to 1000, of any length
	 * @return completes with whether each is certainly new; {@code false} if it was added
	 * before, or by mistake
	 */
	CompletableFuture<List<Boolean>> addAllAsync(String filter, Collection<String> values);

	/**
	 * Returns whether values were added.
	 * @param values from 1 to 1000, of any length
	 * @return completes with {@code false} for each that certainly was not
	 */
	CompletableFuture<List<Boolean>> mightContainAllAsync(String filter, Collection<String> values);

	/** Adds values, as {@link #addAllAsync}, and waits for the answer. */
	default List<Boolean> addAll(String filter, Collection<String> values) {
		return BlockingCalls.await("BloomFilters.addAll", () -> addAllAsync(filter, values));
	}

	/** Adds a value, and returns whether it is certainly new. */
	default boolean add(String filter, String value) {
		return addAll(filter, List.of(value)).get(0);
	}

	/**
	 * Returns whether values were added, as {@link #mightContainAllAsync}, and waits for
	 * the answer.
	 */
	default List<Boolean> mightContainAll(String filter, Collection<String> values) {
		return BlockingCalls.await("BloomFilters.mightContainAll", () -> mightContainAllAsync(filter, values));
	}

	/** Returns whether a value was added; {@code false} if it certainly was not. */
	default boolean mightContain(String filter, String value) {
		return mightContainAll(filter, List.of(value)).get(0);
	}

	/** Returns filters to which every value is new, for where they are switched off. */
	static BloomFilters unguarded() {
		return StandIn.of(BloomFilters.class, Map.of("addAll", (call) -> forEach(call[1], true), "mightContainAll",
				(call) -> forEach(call[1], false)));
	}

	private static List<Boolean> forEach(@Nullable Object values, boolean answer) {
		return Collections.nCopies((values instanceof Collection<?> all) ? all.size() : 0, answer);
	}

}
