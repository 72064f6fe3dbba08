/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.ratelimit.guard;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import io.ge.redis.ratelimit.live.LiveLimit;

/**
 * Names a key where it must not be readable. The same on all instances, so that what they
 * show can be compared. Who can guess the key can verify the guess.
 */
final class KeyHash {

	private static final int BYTES = 8;

	private KeyHash() {
	}

	static String of(List<String> key) {
		return of(LiveLimit.text(key));
	}

	static String of(String key) {
		try {
			byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(Arrays.copyOf(hash, BYTES));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

}
