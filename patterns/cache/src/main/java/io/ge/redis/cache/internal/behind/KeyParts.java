// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Keys as one text, readable and reversible: parts with a comma between; a comma, a
 * percent sign, a control character or half of a surrogate pair within a part becomes
 * {@code %} and four hex digits.
 */
public final class KeyParts {

	private static final char SEPARATOR = ',';

	private static final char ESCAPE = '%';

	private static final int DIGITS = 4;

	private KeyParts() {
	}

	public static String join(List<String> parts) {
		StringBuilder joined = new StringBuilder();
		for (int i = 0; i < parts.size(); i++) {
			if (i > 0) {
				joined.append(SEPARATOR);
			}
			escape(parts.get(i), joined);
		}
		return joined.toString();
	}

	private static void escape(String part, StringBuilder target) {
		for (int i = 0; i < part.length(); i++) {
			char c = part.charAt(i);
			if (Character.isHighSurrogate(c) && i + 1 < part.length() && Character.isLowSurrogate(part.charAt(i + 1))) {
				target.append(c).append(part.charAt(++i));
			}
			else if (c == SEPARATOR || c == ESCAPE || Character.isISOControl(c) || Character.isSurrogate(c)) {
				target.append(ESCAPE).append(HexFormat.of().toHexDigits(c));
			}
			else {
				target.append(c);
			}
		}
	}

	public static List<String> split(String joined) {
		List<String> parts = new ArrayList<>();
		for (String part : joined.split(String.valueOf(SEPARATOR), -1)) {
			parts.add(unescape(part));
		}
		return List.copyOf(parts);
	}

	private static String unescape(String part) {
		StringBuilder plain = new StringBuilder(part.length());
		for (int i = 0; i < part.length(); i++) {
			char c = part.charAt(i);
			if (c == ESCAPE) {
				c = (char) Integer.parseInt(part.substring(i + 1, i + 1 + DIGITS), 16);
				i += DIGITS;
			}
			plain.append(c);
		}
		return plain.toString();
	}

}
