// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist.refresh;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import io.ge.redis.core.hash.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a refresh token: a random locator, by which the session is found and which
 * only its tokens contain; a generation, counted from the login on; and a secret.
 * <p>
 * The secret of a successor is HMAC-SHA256 of a random nonce, with the secret of its
 * predecessor as the key. So Redis need not keep a successor in order to give it out
 * again, only the nonce, which reveals nothing. A thief of the predecessor alone can do
 * nothing but present it. Redis keeps only the SHA-256 of a secret: 256 random bits need
 * no salt and no slow hash.
 *
 * @param locator {@value #LOCATOR} bytes
 * @param generation how many times the first token of the session was replaced
 * @param secret {@value #SECRET} bytes
 */
record TokenText(byte[] locator, int generation, byte[] secret) {

	private static final int LOCATOR = 15;

	private static final int SECRET = 32;

	private static final int NONCE = 16;

	/** A multiple of three, so that every token has one text. */
	private static final int BYTES = LOCATOR + Integer.BYTES + SECRET;

	private static final int CHARACTERS = BYTES / 3 * 4;

	private static final int SESSION = 16;

	private static final byte SESSION_MARK = 's';

	private static final String MAC = "HmacSHA256";

	private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

	private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

	static TokenText first(RandomGenerator random) {
		return new TokenText(random(random, LOCATOR), 0, random(random, SECRET));
	}

	/**
	 * Parses a presented token.
	 * @return the parts, or {@code null} if it cannot be a token
	 */
	static @Nullable TokenText parse(String presented) {
		if (presented.length() != CHARACTERS) {
			return null;
		}
		try {
			ByteBuffer bytes = ByteBuffer.wrap(DECODER.decode(presented));
			if (bytes.remaining() != BYTES) {
				return null;
			}
			byte[] locator = new byte[LOCATOR];
			bytes.get(locator);
			int generation = bytes.getInt();
			byte[] secret = new byte[SECRET];
			bytes.get(secret);
			return (generation >= 0) ? new TokenText(locator, generation, secret) : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	static String nonce(RandomGenerator random) {
		return ENCODER.encodeToString(random(random, NONCE));
	}

	private static byte[] random(RandomGenerator random, int length) {
		byte[] bytes = new byte[length];
		random.nextBytes(bytes);
		return bytes;
	}

	TokenText successor(String nonce) {
		try {
			Mac mac = Mac.getInstance(MAC);
			mac.init(new SecretKeySpec(this.secret, MAC));
			return new TokenText(this.locator, this.generation + 1, mac.doFinal(DECODER.decode(nonce)));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Every Java platform has " + MAC, ex);
		}
	}

	String value() {
		return ENCODER.encodeToString(
				ByteBuffer.allocate(BYTES).put(this.locator).putInt(this.generation).put(this.secret).array());
	}

	String family() {
		return ENCODER.encodeToString(this.locator);
	}

	String hash() {
		return ENCODER.encodeToString(Sha256.of(this.secret));
	}

	/**
	 * Returns the id of the session, which does not lead back to the locator: access
	 * tokens carry it, and a reader of one must not be able to end the session.
	 */
	String sessionId() {
		MessageDigest digest = Sha256.digest();
		digest.update(SESSION_MARK);
		return ENCODER.encodeToString(Arrays.copyOf(digest.digest(this.locator), SESSION));
	}

	@Override
	public String toString() {
		return "Refresh token of session " + sessionId();
	}

}
