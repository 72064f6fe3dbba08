/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.util.stream.Stream;

/**
 * Fills a cache before it is asked. A bean of this type runs when the application has
 * started: on one instance of the fleet at a time, no faster than {@code
 * ge.redis.cache.warm-up.rate}, and not again by instances that start within {@code
 * ge.redis.cache.warm-up.valid-for} of its end.
 * <p>
 * If that instance dies, another one that has started takes over when its lease of {@code
 * ge.redis.cache.warm-up.lease-time} ends, and begins anew: what is cached by then is
 * read at the cost of a hit. The same applies after an outage of Redis. It may happen
 * that two instances are at it for a moment; each value is loaded once all the same.
 * <p>
 * An exception ends the run: it is logged, and another instance that waits tries. A
 * warm-up that is to go on after a key that fails catches what is thrown.
 *
 * @param <K> what names a value
 */
public interface CacheWarmer<K> {

	/**
	 * Returns the name of the warm-up, the same on all instances and in all their runs.
	 * @return the name, of one warm-up only
	 */
	String name();

	/**
	 * Finds out what is to be read. Called at the start of a run, on a thread of its own;
	 * the stream is read by one thread, as fast as the values are read, and closed.
	 * @return the keys
	 */
	Stream<? extends K> keys();

	/**
	 * Reads one value through the cache, by a method with {@link CacheAside} or
	 * {@link GeCaches#get}. There is no transaction and no request.
	 * @param key what names it
	 */
	void warm(K key);

}
