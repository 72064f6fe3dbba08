// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.stream.Stream;

/**
 * Fills a cache before it is asked. A bean of this type runs when the application has
 * started: on one of all instances, no faster than {@code
 * ge.redis.cache.warm-up.rate}, and not again by instances that start within {@code
 * ge.redis.cache.warm-up.valid-for} of its end.
 * <p>
 * If that instance dies, another one begins anew when its lease of {@code
 * ge.redis.cache.warm-up.lease-time} ends, at the cost of a hit for each cached value.
 * The same applies after an outage of Redis.
 * <p>
 * An exception ends the run: it is logged, and another instance that waits tries.
 *
 * @param <K> the type of the keys
 */
public interface CacheWarmer<K> {

	/**
	 * Returns the name of the warm-up, the same on all instances and in all their runs.
	 * @return the name, of one warm-up only
	 */
	String name();

	/**
	 * Returns the keys of the values to read. Called at the start of a run, on a thread
	 * of its own; the stream is read by one thread, as fast as the values are read, and
	 * closed.
	 * @return the keys
	 */
	Stream<? extends K> keys();

	/**
	 * Reads one value through the cache, by a method with {@link CacheAside} or
	 * {@link GeCaches#get}. There is no transaction and no request.
	 * @param key the key of the value
	 */
	void warm(K key);

}
