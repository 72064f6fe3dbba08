// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache;

import java.util.List;

/**
 * Writes the changes of one cache to its database. A cache with a bean of this type is
 * written behind. Values are put there by {@link io.ge.redis.cache.CacheWriteBehind} or
 * {@link io.ge.redis.cache.GeCaches#writeBehind}, and readers see them at once. One of
 * the instances that have such a bean writes them a moment later, many at a time.
 * <p>
 * Each change arrives at least once. Changes of one key arrive in order, by one caller at
 * a time; a newer change replaces older ones that wait. A change arrives again in two
 * cases. First, a process died, or Redis was unavailable, after it was written and before
 * that was confirmed. Second, a process was paused for longer than
 * {@code ge.redis.cache.write-behind.lease-time} while it was writing, so that another
 * one has taken over. The same happens if Redis is unavailable for that long during a
 * call of the store. It also happens if the call continues after
 * {@code ge.redis.cache.write-behind.drain-timeout} at shutdown. In the second case the
 * older change may arrive last. Therefore a store keeps {@link Change#version()}, which
 * rises with each change of a key, beside the value. It does not overwrite a row that has
 * a higher version:
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
	 * Returns the cache whose changes this store writes. One store writes the changes of
	 * one cache.
	 * @return the cache's name
	 */
	String cache();

	/**
	 * Writes changes, best in one transaction. Called on a thread of the library, for
	 * different partitions of the keys at the same time. The changes of its partition
	 * wait meanwhile, so everything that it calls needs timeouts.
	 * @param changes at least one and at most
	 * {@code ge.redis.cache.write-behind.batch-size}, no two of one key
	 * @throws Exception if one of them could not be written. Unless the failure
	 * {@linkplain #isTransient(Throwable) is transient}, each is then tried alone.
	 * Changes that fail are tried again later, and given up after
	 * {@code ge.redis.cache.write-behind.max-attempts}
	 */
	void writeAll(List<Change<V>> changes) throws Exception;

	/**
	 * Returns whether a failure means that the store is unavailable, and not that a
	 * change is wrong. Then nothing is counted as an attempt, and all changes wait. After
	 * three such failures in a row changes are tried alone, until five have failed. If
	 * one is written, the failures of the others count. An exception of this method means
	 * {@code false}.
	 * @param failure the exception of {@link #writeAll}
	 * @return whether the failure is transient. By default that is a failed connection, a
	 * failed begin of a transaction, or a cause that Spring or JDBC call transient. A
	 * failure with an optimistic lock before such a cause is not transient
	 */
	default boolean isTransient(Throwable failure) {
		return StoreFailures.areTransient(failure);
	}

}
