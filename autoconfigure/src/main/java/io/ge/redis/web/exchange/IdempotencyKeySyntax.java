/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.exchange;

import org.jspecify.annotations.Nullable;

/**
 * The syntax of {@code Idempotency-Key}: a string of RFC 8941, as the draft of the header
 * wants it, or the bare characters, as most clients send them. Both forms of the same
 * characters are the same key.
 */
final class IdempotencyKeySyntax {

	private static final int MAX_LENGTH = 255;

	private IdempotencyKeySyntax() {
	}

	/**
	 * Returns the key in a header value.
	 * @return the key, or {@code null} if the value is malformed
	 */
	static @Nullable String parse(String value) {
		String text = value.strip();
		String key = text.startsWith("\"") ? unquote(text) : bare(text);
		return (key == null || key.isBlank() || key.length() > MAX_LENGTH) ? null : key;
	}

	private static @Nullable String bare(String text) {
		return text.chars().allMatch((c) -> c > ' ' && c <= '~' && c != '"') ? text : null;
	}

	private static @Nullable String unquote(String text) {
		StringBuilder key = new StringBuilder(text.length());
		for (int i = 1; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '"') {
				return (i == text.length() - 1) ? key.toString() : null;
			}
			if (c == '\\') {
				i++;
				c = (i < text.length()) ? text.charAt(i) : 0;
				if (c != '"' && c != '\\') {
					return null;
				}
			}
			if (c < ' ' || c > '~') {
				return null;
			}
			key.append(c);
		}
		return null;
	}

}
