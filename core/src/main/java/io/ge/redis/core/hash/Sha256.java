// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.hash;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256 hashes.
 */
public final class Sha256 {

	/** Finding and making one costs as much as hashing a key. */
	private static final ThreadLocal<MessageDigest> OF_THREAD = ThreadLocal.withInitial(Sha256::digest);

	private Sha256() {
	}

	public static MessageDigest digest() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-256", ex);
		}
	}

	/**
	 * Returns the hash of a text.
	 */
	public static byte[] of(String text) {
		return of(text.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Returns the hash of bytes.
	 */
	public static byte[] of(byte[] bytes) {
		return OF_THREAD.get().digest(bytes);
	}

}
