// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A strict parser of structured fields (RFC 9651) that are lists of strings with
 * parameters, as the fields of rate limits are. Everything else is refused.
 */
public final class StructuredFieldList {

	private final String text;

	private int next;

	private StructuredFieldList(String text) {
		this.text = text;
	}

	/**
	 * Parses the lines of a field, which are one list (section 4.2).
	 */
	public static List<Item> parse(List<String> lines) {
		return parse(String.join(", ", lines));
	}

	public static List<Item> parse(String line) {
		return new StructuredFieldList(line).list();
	}

	private List<Item> list() {
		skip(" ");
		List<Item> items = new ArrayList<>();
		while (this.next < this.text.length()) {
			items.add(new Item(string(), parameters()));
			skip(" \t");
			if (this.next == this.text.length()) {
				return items;
			}
			expect(',');
			skip(" \t");
			if (this.next == this.text.length()) {
				throw problem("ends with a comma");
			}
		}
		return items;
	}

	private String string() {
		expect('"');
		StringBuilder string = new StringBuilder();
		for (char c = take(); c != '"'; c = take()) {
			if (c == '\\') {
				c = take();
				if (c != '"' && c != '\\') {
					throw problem("escapes " + c);
				}
			}
			else if (c < ' ' || c > '~') {
				throw problem("has a character that is not printable ASCII");
			}
			string.append(c);
		}
		return string.toString();
	}

	private Map<String, Object> parameters() {
		Map<String, Object> parameters = new LinkedHashMap<>();
		while (peek() == ';') {
			take();
			skip(" ");
			String key = key();
			if (peek() != '=') {
				parameters.put(key, true);
				continue;
			}
			take();
			parameters.put(key, (peek() == '"') ? string() : integer());
		}
		return parameters;
	}

	private String key() {
		int start = this.next;
		if (!(isLetter(peek()) || peek() == '*')) {
			throw problem("has no key");
		}
		while (isLetter(peek()) || isDigit(peek()) || "_-.*".indexOf(peek()) >= 0) {
			this.next++;
		}
		return this.text.substring(start, this.next);
	}

	private long integer() {
		int start = this.next;
		if (peek() == '-') {
			take();
		}
		int digits = this.next;
		while (isDigit(peek())) {
			this.next++;
		}
		if (this.next == digits || this.next - digits > 15 || peek() == '.') {
			throw problem("has no integer of at most 15 digits");
		}
		return Long.parseLong(this.text.substring(start, this.next));
	}

	private static boolean isLetter(char c) {
		return c >= 'a' && c <= 'z';
	}

	private static boolean isDigit(char c) {
		return c >= '0' && c <= '9';
	}

	private char peek() {
		return (this.next < this.text.length()) ? this.text.charAt(this.next) : '\0';
	}

	private char take() {
		if (this.next == this.text.length()) {
			throw problem("ends too early");
		}
		return this.text.charAt(this.next++);
	}

	private void expect(char c) {
		if (take() != c) {
			throw problem("lacks a " + c);
		}
	}

	private void skip(String characters) {
		while (this.next < this.text.length() && characters.indexOf(peek()) >= 0) {
			this.next++;
		}
	}

	private IllegalArgumentException problem(String problem) {
		return new IllegalArgumentException("'" + this.text + "' " + problem + " before position " + this.next);
	}

	/**
	 * A string with its parameters.
	 *
	 * @param name the string
	 * @param parameters integers, strings and flags by key
	 */
	public record Item(String name, Map<String, Object> parameters) {

		public long number(String key) {
			return (Long) this.parameters.get(key);
		}

	}

}
