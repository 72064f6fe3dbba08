/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * The text by which instances tell each other which entry has changed: the name of the
 * cache and the parts of the key, with a space between them. What would be taken for
 * something else, or would not survive as UTF-8, is written as {@code %} and four
 * hexadecimal digits, so that different keys have different texts.
 */
public final class NearNews {

	/**
	 * How many characters a name and a key have together at most. Every instance gets the
	 * text of each change, and a server ends subscriptions that take too much memory, so
	 * longer ones are not told, and not kept in memory either.
	 */
	public static final int MOST = 1024;

	private NearNews() {
	}

	/**
	 * Returns whether changes of an entry are told, so that it may be kept in memory.
	 */
	public static boolean isTold(CacheKey key) {
		long length = key.cache().length();
		for (String part : key.parts()) {
			length += 1 + part.length();
		}
		return length <= MOST;
	}

	public static String write(CacheKey key) {
		StringBuilder text = new StringBuilder();
		write(text, key.cache());
		key.parts().forEach((part) -> write(text.append(' '), part));
		return text.toString();
	}

	private static void write(StringBuilder text, String part) {
		for (int i = 0; i < part.length(); i++) {
			char one = part.charAt(i);
			if (Character.isHighSurrogate(one) && i + 1 < part.length()
					&& Character.isLowSurrogate(part.charAt(i + 1))) {
				text.append(one).append(part.charAt(++i));
			}
			else if (one <= ' ' || one == '%' || Character.isSurrogate(one)) {
				text.append('%');
				for (int shift = 12; shift >= 0; shift -= 4) {
					text.append(Character.forDigit((one >> shift) & 0xF, 16));
				}
			}
			else {
				text.append(one);
			}
		}
	}

	static CacheKey read(String text) {
		List<String> words = new ArrayList<>();
		for (String word : text.split(" ", -1)) {
			words.add(readPart(word));
		}
		return new CacheKey(words.get(0), List.copyOf(words.subList(1, words.size())));
	}

	private static String readPart(String word) {
		StringBuilder part = new StringBuilder(word.length());
		for (int i = 0; i < word.length(); i++) {
			if (word.charAt(i) == '%') {
				part.append((char) Integer.parseInt(word, i + 1, i + 5, 16));
				i += 4;
			}
			else {
				part.append(word.charAt(i));
			}
		}
		return part.toString();
	}

}
