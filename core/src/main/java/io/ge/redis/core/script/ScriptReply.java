// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The reply of a script: always a list of whole numbers and byte strings, possibly absent
 * ones.
 */
public final class ScriptReply {

	private static final int LONGEST_WORD = 16;

	/** Cache of the few words that scripts reply again and again. */
	private static final @Nullable String[] WORDS = new String[256];

	private final List<?> elements;

	private final Function<String, ? extends RuntimeException> unreadable;

	ScriptReply(List<?> elements) {
		this(elements, IllegalStateException::new);
	}

	private ScriptReply(List<?> elements, Function<String, ? extends RuntimeException> unreadable) {
		this.elements = elements;
		this.unreadable = unreadable;
	}

	/**
	 * Returns this reply with another exception for unreadable elements: scripts reply
	 * stored values, which other programs may have written.
	 * @param unreadable creates the exception from the problem of an element
	 */
	public ScriptReply failing(Function<String, ? extends RuntimeException> unreadable) {
		return new ScriptReply(this.elements, unreadable);
	}

	public int size() {
		return this.elements.size();
	}

	/**
	 * Takes apart what a script has replied that runs another one for each of several
	 * groups of keys.
	 * @see LuaScript#forEach()
	 */
	public List<ScriptReply> parts() {
		List<ScriptReply> parts = new ArrayList<>();
		int next = 0;
		while (next < size()) {
			int end = next + 1 + (int) number(next);
			parts.add(new ScriptReply(this.elements.subList(next + 1, end), this.unreadable));
			next = end;
		}
		return parts;
	}

	/**
	 * Returns a whole number.
	 * @return the number; a byte string of digits counts as one
	 */
	public long number(int index) {
		if (element(index) instanceof Long number) {
			return number;
		}
		String text = text(index);
		try {
			return Long.parseLong(text);
		}
		catch (NumberFormatException ex) {
			throw this.unreadable.apply("element %d of the reply is no whole number: %.40s".formatted(index, text));
		}
	}

	/**
	 * Returns whether the script replied a whole number at a position.
	 */
	public boolean isNumber(int index) {
		return element(index) instanceof Long;
	}

	/**
	 * Returns a number that may have decimals.
	 */
	public double decimal(int index) {
		if (element(index) instanceof Double number) {
			return number;
		}
		String text = text(index);
		try {
			return Double.parseDouble(text);
		}
		catch (NumberFormatException ex) {
			throw this.unreadable.apply("element %d of the reply is no number: %.40s".formatted(index, text));
		}
	}

	/**
	 * Returns a byte string.
	 * @return the bytes, or {@code null} where the script replied {@code false} or nil
	 */
	public byte @Nullable [] bytes(int index) {
		Object element = element(index);
		if (element == null || element instanceof byte[]) {
			return (byte[]) element;
		}
		throw this.unreadable.apply("element " + index + " of the reply is no string");
	}

	public String text(int index) {
		byte[] bytes = bytes(index);
		if (bytes == null) {
			throw this.unreadable.apply("element " + index + " of the reply is nil");
		}
		return (bytes.length <= LONGEST_WORD) ? word(bytes) : new String(bytes, StandardCharsets.UTF_8);
	}

	// Threads may pass each other here: a word that is lost is made once more
	private static String word(byte[] bytes) {
		int place = Arrays.hashCode(bytes) & (WORDS.length - 1);
		String word = WORDS[place];
		if (word == null || !isEqual(word, bytes)) {
			word = new String(bytes, StandardCharsets.UTF_8);
			WORDS[place] = word;
		}
		return word;
	}

	private static boolean isEqual(String word, byte[] bytes) {
		boolean equal = word.length() == bytes.length;
		for (int i = 0; equal && i < bytes.length; i++) {
			equal = word.charAt(i) == bytes[i];
		}
		return equal;
	}

	private @Nullable Object element(int index) {
		if (index >= this.elements.size()) {
			throw this.unreadable.apply("the reply has no element " + index);
		}
		return this.elements.get(index);
	}

	/**
	 * Returns whether the script replied a value at a position.
	 */
	public boolean has(int index) {
		return index < this.elements.size() && this.elements.get(index) != null;
	}

	@Override
	public String toString() {
		return "ScriptReply of " + this.elements.size() + " elements";
	}

}
