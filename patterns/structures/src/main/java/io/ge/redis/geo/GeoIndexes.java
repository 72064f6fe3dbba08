// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.geo;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;

/**
 * The indexes of members by place that are configured below {@code ge.redis.geo.indexes}.
 * <p>
 * A member is forgotten when the TTL of the index has passed since it was last put. Until
 * its data is removed by later calls, at most 100 members each, a search skips it.
 * <p>
 * Redis: one script call or command each, O(log n); a search also the number of members
 * in the area. All keys of an index are in one slot. All calls may be repeated. A method
 * without {@code Async} in its name waits for the answer.
 * <p>
 * All methods throw {@link io.ge.redis.core.invocation.NotConfiguredException} for
 * indexes that are not configured, and
 * {@link io.ge.redis.core.structure.StructureMismatchException} if the key of an index
 * holds something else. They throw {@link IllegalArgumentException} for members that are
 * empty, have more than 200 bytes or half of a surrogate pair.
 */
public interface GeoIndexes {

	/**
	 * Puts a member at a place, or moves it there.
	 * @return completes with whether the member is new
	 */
	CompletableFuture<Boolean> putAsync(String index, String member, GeoPoint point);

	/**
	 * Puts several members, as {@link #putAsync} does each of them: one that fails leaves
	 * the others.
	 * @param points from 1 to 1000 members with their places
	 * @return completes with the members that are new
	 */
	CompletableFuture<Set<String>> putAllAsync(String index, Map<String, GeoPoint> points);

	/**
	 * Removes a member.
	 * @return completes with whether it was there
	 */
	CompletableFuture<Boolean> removeAsync(String index, String member);

	/**
	 * Returns where a member is.
	 * @return completes with nothing if it is not in the index
	 */
	CompletableFuture<Optional<GeoPoint>> positionAsync(String index, String member);

	/**
	 * Returns the members within a radius, nearest first.
	 * @param radiusKm from 0 to 25000, which is everywhere
	 * @param limit how many at most, from 1 to 1000
	 */
	CompletableFuture<List<GeoMember>> nearestAsync(String index, GeoPoint center, double radiusKm, int limit);

	/**
	 * Returns the members within a box, nearest to its center first. A box that reaches
	 * beyond a pole is refused, unless a side has 10020 km or more.
	 * @param widthKm from 0 to 50000, from west to east
	 * @param heightKm from 0 to 50000, from south to north
	 * @param limit how many at most, from 1 to 1000
	 */
	CompletableFuture<List<GeoMember>> inBoxAsync(String index, GeoPoint center, double widthKm, double heightKm,
			int limit);

	default boolean put(String index, String member, GeoPoint point) {
		return BlockingCalls.await("GeoIndexes.put", () -> putAsync(index, member, point));
	}

	default Set<String> putAll(String index, Map<String, GeoPoint> points) {
		return BlockingCalls.await("GeoIndexes.putAll", () -> putAllAsync(index, points));
	}

	default boolean remove(String index, String member) {
		return BlockingCalls.await("GeoIndexes.remove", () -> removeAsync(index, member));
	}

	default Optional<GeoPoint> position(String index, String member) {
		return BlockingCalls.await("GeoIndexes.position", () -> positionAsync(index, member));
	}

	default List<GeoMember> nearest(String index, GeoPoint center, double radiusKm, int limit) {
		return BlockingCalls.await("GeoIndexes.nearest", () -> nearestAsync(index, center, radiusKm, limit));
	}

	default List<GeoMember> inBox(String index, GeoPoint center, double widthKm, double heightKm, int limit) {
		return BlockingCalls.await("GeoIndexes.inBox", () -> inBoxAsync(index, center, widthKm, heightKm, limit));
	}

	/** Returns indexes that keep nothing, for where they are switched off. */
	static GeoIndexes unguarded() {
		return StandIn.of(GeoIndexes.class,
				Map.of("put", (call) -> true, "putAll", (call) -> ((Map<?, ?>) call[1]).keySet()));
	}

}
