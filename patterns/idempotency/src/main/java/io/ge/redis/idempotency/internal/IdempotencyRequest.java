// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.idempotency.internal;

import java.util.List;

import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.idempotency.IdempotencyKeyException;
import io.ge.redis.idempotency.IdempotencySettings;
import org.jspecify.annotations.Nullable;

/**
 * A call with a key.
 *
 * @param caller the owner of the key, or {@code null} for an anonymous caller or a key
 * that all share
 * @param fingerprint the hash that must be equal in a repetition
 */
record IdempotencyRequest(IdempotencySettings settings, @Nullable Caller caller, List<String> key, byte[] fingerprint) {

	private static final int MAX_KEY_LENGTH = 255;

	/**
	 * The owner of a key.
	 *
	 * @param issuer the issuer that has named the principal, or {@code null} if names are
	 * unique without one
	 */
	record Caller(@Nullable String issuer, String name) {

		@Override
		public String toString() {
			return "principal";
		}

	}

	@Override
	public String toString() {
		return "call of '" + this.settings.name() + "'";
	}

	/**
	 * Returns the parts of a key.
	 * @throws IdempotencyKeyException if a part is blank, too long or not printable
	 */
	public static List<String> keyParts(@Nullable Object value, Object source) {
		if (KeyText.isEmpty(value)) {
			throw new IdempotencyKeyException(source + " is missing");
		}
		List<String> parts = KeyText.of(value, source);
		for (String part : parts) {
			if (part.length() > MAX_KEY_LENGTH || part.chars().anyMatch(Character::isISOControl)) {
				throw new IdempotencyKeyException(
						source + " must have 1 to " + MAX_KEY_LENGTH + " characters without control characters");
			}
		}
		return parts;
	}

}
