// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;

/**
 * Writes the changes of one cache to where they stay. A bean of this type makes its cache
 * one that is written behind. Values are put there by
 * {@link io.ge.redis.cache.CacheWriteBehind} or
 * {@link io.ge.redis.cache.GeCaches#writeBehind}, and readers see them at once. One of
 * the instances that have such a bean writes them a moment later, many at a time.
 * <p>
 * Each change arrives at least once. Of each key they arrive in order, by one caller at a
 * time, older ones left out where a newer one has come. Two things bring one again: a
 * process that died, or Redis that was unavailable, after it was written and before that
 * was confirmed; and a process that was paused for longer than {@code
 * ge.redis.cache.write-behind.lease-time} while it was writing, so that another one has
 * taken its place. The latter is also so if Redis is unavailable for that long in a call
 * of the store, or the call goes on after {@code
 * ge.redis.cache.write-behind.drain-timeout} at shutdown. In the second case the older
 * one may arrive last. Therefore a store keeps {@link Change#version()}, which rises with
 * each change of a key, beside the value, and leaves alone what has a higher one:
 *
 * <pre class="code">
 * update orders set state = ?, version = ? where id = ? and version &lt; ?
 * </pre>
 *
 * The class must declare the type of the values, as with {@code implements
 * WriteBehindStore<Order>}. A lambda or a generic class does not.
 *
 * @param <V> the values
 */
public interface WriteBehindStore<V> {

	/**
	 * Returns the cache whose changes this store writes. One store writes those of one
	 * cache.
	 * @return the cache's name
	 */
	String cache();

	/**
	 * Writes changes, best in one transaction. Called on a thread of the library, for
	 * different partitions of the keys at the same time. Has to end: the changes of its
	 * partition wait meanwhile, so what it calls needs timeouts.
	 * @param changes at least one and at most
	 * {@code ge.redis.cache.write-behind.batch-size}, no two of one key
	 * @throws Exception if one of them could not be written. Unless the store
	 * {@linkplain #isAway(Throwable) is away} each is then tried alone; those that fail
	 * are tried again later, and given up after
	 * {@code ge.redis.cache.write-behind.max-attempts}
	 */
	void writeAll(List<Change<V>> changes) throws Exception;

	/**
	 * Returns whether a failure says something about the store rather than about what was
	 * to be written. Then nothing is counted as an attempt, and all changes wait. After
	 * three such failures in a row up to five changes are tried alone: if one of them is
	 * written, those of them that are not count as failed all the same. One that throws
	 * means {@code false}.
	 * @param failure what {@link #writeAll} has thrown
	 * @return by default whether there is a failure of a connection, of a transaction's
	 * begin, or one that Spring or JDBC call transient, among its causes, and no
	 * optimistic lock before it
	 */
	default boolean isAway(Throwable failure) {
		return StoreFailures.areTransient(failure);
	}

}
