// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.hash;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.core.StandIn;
import io.ge.redis.core.structure.BlockingCalls;

/**
 * The state of many objects, in the stores that are configured below
 * {@code ge.redis.hash.stores}: a hash for each object, with the JSON of each property as
 * a field.
 * <p>
 * Fields are read and written one by one: a write leaves other fields as they are. The
 * TTL of an object is counted from the last write. A field is named as the property is in
 * JSON, by the naming strategy of the application's mapper; all methods translate names
 * like that.
 * <p>
 * Redis: one script call or command each, O(1) for each field. The objects of a store are
 * in different slots. All calls may be repeated, but an {@link #increment} that is
 * repeated may count twice. A method without {@code Async} in its name waits for the
 * answer.
 * <p>
 * All methods throw {@link io.ge.redis.core.invocation.NotConfiguredException} for stores
 * that are not configured. They throw
 * {@link io.ge.redis.core.structure.StructureMismatchException} if Redis holds something
 * else. They throw {@link IllegalArgumentException} for ids and fields that are empty or
 * have more than 200 bytes, and for ids with braces, colons or control characters. The
 * same applies to values that cannot be written as JSON or are larger than
 * {@code max-value-size}. It also applies to half of a surrogate pair, and to names that
 * only some methods would find. In each case nothing is written.
 */
public interface HashStore {

	/**
	 * Writes fields of an object, which is created if there is none.
	 * @param state a map, a record or another object with properties; properties that are
	 * {@code null} are removed, whatever {@code @JsonInclude} says, and others stay
	 * @return completes with whether the object is new
	 */
	CompletableFuture<Boolean> putAsync(String store, String id, Object state);

	/**
	 * Reads an object.
	 * @param type the type that its JSON is read as, such as a map or the type that was
	 * written; a property without a field is {@code null}, 0 or {@code false}
	 * @param fields the fields to read, all if there is none
	 * @return completes with nothing if there is no such object
	 */
	<T> CompletableFuture<Optional<T>> getAsync(String store, String id, Class<T> type, String... fields);

	/**
	 * Reads several objects, as {@link #getAsync} does each of them. On a Cluster there
	 * is one command for each slot, and all are sent at once.
	 * @param ids from 1 to 1000; each counts once
	 * @return completes with the objects that exist by id, in the order of the ids
	 */
	<T> CompletableFuture<Map<String, T>> getAllAsync(String store, Collection<String> ids, Class<T> type,
			String... fields);

	/**
	 * Adds to a field, which is 0 if there is none.
	 * @param delta may be negative
	 * @return completes with the sum, or exceptionally with
	 * {@link io.ge.redis.core.structure.StructureMismatchException} if the field is no
	 * whole number or would exceed 64 bits
	 */
	CompletableFuture<Long> incrementAsync(String store, String id, String field, long delta);

	/**
	 * Removes an object.
	 * @return completes with whether it was there
	 */
	CompletableFuture<Boolean> removeAsync(String store, String id);

	default boolean put(String store, String id, Object state) {
		return BlockingCalls.await("HashStore.put", () -> putAsync(store, id, state));
	}

	default <T> Optional<T> get(String store, String id, Class<T> type, String... fields) {
		return BlockingCalls.await("HashStore.get", () -> getAsync(store, id, type, fields));
	}

	default <T> Map<String, T> getAll(String store, Collection<String> ids, Class<T> type, String... fields) {
		return BlockingCalls.await("HashStore.getAll", () -> getAllAsync(store, ids, type, fields));
	}

	default long increment(String store, String id, String field, long delta) {
		return BlockingCalls.await("HashStore.increment", () -> incrementAsync(store, id, field, delta));
	}

	default boolean remove(String store, String id) {
		return BlockingCalls.await("HashStore.remove", () -> removeAsync(store, id));
	}

	/** Returns a store that keeps nothing, for where stores are switched off. */
	static HashStore unguarded() {
		return StandIn.of(HashStore.class, Map.of("put", (call) -> true));
	}

}
