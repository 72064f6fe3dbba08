/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.RedisKey;

/**
 * The keys of one record, in one slot; equal if they are those of the same record.
 *
 * @param operation the operation's name
 * @param record the record
 */
record RedisIdempotencyKey(String operation, RedisKey record) {

	private static final KeyPart WAITERS = KeyPart.of("w");

	/**
	 * The record and the instances that wait for it.
	 */
	List<RedisKey> all() {
		return List.of(this.record, this.record.with(WAITERS));
	}

	/**
	 * Stands for operation, scope and key outside of Redis.
	 */
	String digest() {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(this.record.bytes()));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	@Override
	public String toString() {
		return this.record.toString();
	}

}
