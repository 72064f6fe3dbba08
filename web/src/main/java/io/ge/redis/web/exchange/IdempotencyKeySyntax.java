// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The syntax of {@code Idempotency-Key}: a string of RFC 8941, as the draft of the header
 * wants it, or the bare characters, as most clients send them. Both forms of the same
 * characters are the same key.
 */
final class IdempotencyKeySyntax {

	private static final int MAX_LENGTH = 255;

	private static final String UNESCAPED = "[ !#-\\[\\]-~]*+";

	// Possessive, so that long values take no stack
	private static final Pattern KEY = Pattern
		.compile("\"(" + UNESCAPED + "(?:\\\\[\"\\\\]" + UNESCAPED + ")*+)\"|([!#-~]*+)");

	private IdempotencyKeySyntax() {
	}

	static @Nullable String parse(String value) {
		Matcher form = KEY.matcher(value.strip());
		if (!form.matches()) {
			return null;
		}
		String quoted = form.group(1);
		String key = (quoted != null) ? quoted.replaceAll("\\\\(.)", "$1") : form.group();
		return (key.isBlank() || key.length() > MAX_LENGTH) ? null : key;
	}

}
