// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.structure;

import java.nio.charset.StandardCharsets;
import java.util.Collection;

import org.springframework.util.Assert;

/**
 * Refuses arguments before Redis is asked. Messages name the argument.
 */
public final class Arguments {

	/** The longest member, and the longest id that is part of a key. */
	public static final int MAX_BYTES = 200;

	/** The most elements that one call reads or writes. */
	public static final int MAX_COUNT = 1000;

	private Arguments() {
	}

	/** Checks data that is an element of a structure. */
	public static String member(String argument, String member) {
		int bytes = text(argument, member).getBytes(StandardCharsets.UTF_8).length;
		Assert.isTrue(bytes > 0 && bytes <= MAX_BYTES,
				() -> argument + " must have from 1 to " + MAX_BYTES + " bytes, has " + bytes);
		return member;
	}

	/**
	 * Checks that text is text: half of a surrogate pair would become the same bytes as
	 * any other half.
	 */
	public static String text(String argument, String text) {
		Assert.notNull(text, () -> argument + " must not be null");
		for (int i = 0; i < text.length(); i++) {
			int character = text.codePointAt(i);
			Assert.isTrue(!Character.isSurrogate(text.charAt(i)) || Character.isSupplementaryCodePoint(character),
					() -> argument + " must be text, has half of a surrogate pair");
			i += Character.charCount(character) - 1;
		}
		return text;
	}

	/** Checks a name that is part of a key. */
	public static String name(String argument, String name) {
		member(argument, name);
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			Assert.isTrue(c != '{' && c != '}' && c != ':' && !Character.isISOControl(c),
					() -> argument + " must have neither braces, colons nor control characters");
		}
		return name;
	}

	public static double finite(String argument, double number) {
		Assert.isTrue(Double.isFinite(number), () -> argument + " must be finite, was " + number);
		return number;
	}

	public static double range(String argument, double number, double from, double to) {
		// So that NaN fails
		Assert.isTrue(number >= from && number <= to,
				() -> argument + " must be from " + from + " to " + to + ", was " + number);
		return number;
	}

	public static int count(String argument, int count, int from) {
		Assert.isTrue(count >= from && count <= MAX_COUNT,
				() -> argument + " must be from " + from + " to " + MAX_COUNT + ", was " + count);
		return count;
	}

	public static void size(String argument, Collection<?> elements) {
		Assert.notNull(elements, () -> argument + " must not be null");
		count("The number of " + argument, elements.size(), 1);
	}

}
