/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency.guard;

import java.util.List;

import io.ge.redis.core.invocation.KeyText;
import io.ge.redis.idempotency.IdempotencyKeyException;
import org.jspecify.annotations.Nullable;

/**
 * Which keys are allowed.
 */
final class IdempotencyKeys {

	static final int MAX_LENGTH = 255;

	private IdempotencyKeys() {
	}

	/**
	 * Returns the parts of a key.
	 * @param value the key: text, a number, or a list of those
	 * @param what where it comes from, for the message
	 * @throws IdempotencyKeyException if a part is blank, too long or not printable
	 */
	static List<String> require(@Nullable Object value, Object what) {
		if (value == null || (value instanceof CharSequence text && text.toString().isBlank())) {
			throw new IdempotencyKeyException(what + " is missing");
		}
		List<String> parts = KeyText.of(value, what);
		for (String part : parts) {
			if (part.length() > MAX_LENGTH || hasControlCharacters(part)) {
				throw new IdempotencyKeyException(
						what + " must have 1 to " + MAX_LENGTH + " characters without control characters");
			}
		}
		return parts;
	}

	private static boolean hasControlCharacters(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (Character.isISOControl(text.charAt(i))) {
				return true;
			}
		}
		return false;
	}

}
