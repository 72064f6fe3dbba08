// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.HexFormat;
import java.util.List;

import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;

/**
 * The keys of one record, in one slot.
 */
record RedisIdempotencyKey(String operation, RedisKey record, List<RedisKey> all) {

	private static final KeyPart WAITERS = KeyPart.of("w");

	RedisIdempotencyKey(String operation, RedisKey record) {
		this(operation, record, List.of(record, record.with(WAITERS)));
	}

	public String digest() {
		return HexFormat.of().formatHex(Sha256.of(this.record.bytes()));
	}

	@Override
	public int hashCode() {
		return this.record.hashCode();
	}

	@Override
	public String toString() {
		return this.record.toString();
	}

}
