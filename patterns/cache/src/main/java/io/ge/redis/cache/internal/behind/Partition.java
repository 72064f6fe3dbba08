// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.util.List;

/**
 * One of the parts into which the keys of a cache are divided. Each is written by one
 * instance at a time.
 *
 * @param number from 0
 */
record Partition(String cache, int number) {

	static Partition of(String cache, List<String> key) {
		int hash = key.hashCode();
		return new Partition(cache, (hash ^ (hash >>> 16) ^ (hash >>> 8)) & (RedisWriteBehind.PARTITIONS - 1));
	}

}
