// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;

/**
 * A value to publish.
 *
 * @param bytes the value
 * @param ttl time to live in Redis; zero for none
 * @param kept the part of that time beyond its expiry
 */
public record NewValue(byte[] bytes, Duration ttl, Duration kept) {

	public long leftMillis() {
		return this.ttl.isZero() ? -1 : this.ttl.minus(this.kept).toMillis();
	}

}
