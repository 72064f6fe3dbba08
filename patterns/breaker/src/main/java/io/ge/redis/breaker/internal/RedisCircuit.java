// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.breaker.internal;

import java.util.List;

import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;

/**
 * Keys of one circuit. The last part of the first is the version of their format.
 */
record RedisCircuit(RedisKey state, RedisKey reports) {

	private static final KeyPart FORMAT = KeyPart.of("1");

	private static final KeyPart REPORTS = KeyPart.of("r");

	static RedisCircuit of(RedisKey entity) {
		return new RedisCircuit(entity.with(FORMAT), entity.with(FORMAT, REPORTS));
	}

	List<RedisKey> keys() {
		return List.of(this.state, this.reports);
	}

	@Override
	public String toString() {
		return this.state.toString();
	}

}
