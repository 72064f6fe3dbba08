// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.time.Duration;

/**
 * A value to publish.
 *
 * @param bytes the value
 * @param ttl how long it stays in Redis; zero for as long as nobody removes it
 * @param kept how much of that is beyond its expiry
 */
public record NewValue(byte[] bytes, Duration ttl, Duration kept) {

	long leftMillis() {
		return this.ttl.isZero() ? -1 : this.ttl.minus(this.kept).toMillis();
	}

}
