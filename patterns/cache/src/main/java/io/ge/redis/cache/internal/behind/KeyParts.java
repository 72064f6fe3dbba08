// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.behind;

import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Keys as one text, readable and reversible: parts with a comma between; a comma, a
 * percent sign, a control character or half of a surrogate pair within a part becomes
 * {@code %} and four hex digits.
 */
public final class KeyParts {

	private static final Pattern SPECIAL = Pattern.compile("[,%\\p{Cc}\\p{Cs}]");

	private static final Pattern ESCAPED = Pattern.compile("%(\\p{XDigit}{4})");

	private KeyParts() {
	}

	public static String join(List<String> parts) {
		return parts.stream()
			.map((part) -> SPECIAL.matcher(part)
				.replaceAll((special) -> '%' + HexFormat.of().toHexDigits(special.group().charAt(0))))
			.collect(Collectors.joining(","));
	}

	public static List<String> split(String joined) {
		return Stream.of(joined.split(",", -1)).map(KeyParts::unescaped).toList();
	}

	private static String unescaped(String part) {
		return ESCAPED.matcher(part)
			.replaceAll((escaped) -> Matcher
				.quoteReplacement(String.valueOf((char) HexFormat.fromHexDigits(escaped.group(1)))));
	}

}
