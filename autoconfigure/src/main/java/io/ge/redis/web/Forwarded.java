/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * {@code Forwarded} as of RFC 7239: elements of pairs, such as
 * {@code for="[2001:db8::1]:4711";proto=https}, of which only {@code for} counts.
 * <p>
 * Values may be quoted, and then hold commas. Read from the end, a quote opens a value
 * unless an odd number of backslashes stands before it; so the word of the last proxy can
 * be told from that of the client even if the client left a quote open. What is malformed
 * says nothing. Lenient only where the address decides: IPv6 may stand there without
 * quotes.
 */
final class Forwarded implements ForwardedSyntax {

	@Override
	public String field() {
		return "Forwarded";
	}

	@Override
	public int commaBefore(String line, int end) {
		boolean quoted = false;
		for (int i = end - 1; i >= 0; i--) {
			char c = line.charAt(i);
			if (c == '"' && !isEscaped(line, i)) {
				quoted = !quoted;
			}
			else if (c == ',' && !quoted) {
				return i;
			}
		}
		return -1;
	}

	private static boolean isEscaped(String line, int index) {
		int before = index;
		while (before > 0 && line.charAt(before - 1) == '\\') {
			before--;
		}
		return (index - before) % 2 == 1;
	}

	@Override
	public @Nullable String node(String element) {
		String node = null;
		List<String> pairs = pairs(element);
		if (pairs == null) {
			return null;
		}
		for (String pair : pairs) {
			int equals = pair.indexOf('=');
			String value = (equals >= 0 && isPlain(pair.substring(0, equals))) ? value(pair.substring(equals + 1))
					: null;
			if (value == null) {
				return null;
			}
			if (pair.substring(0, equals).equalsIgnoreCase("for")) {
				if (node != null) {
					return null;
				}
				node = value;
			}
		}
		return (node != null) ? withoutHiddenPort(node) : null;
	}

	private static @Nullable List<String> pairs(String element) {
		List<String> pairs = new ArrayList<>();
		boolean quoted = false;
		int from = 0;
		for (int i = 0; i < element.length(); i++) {
			char c = element.charAt(i);
			if (quoted && c == '\\') {
				i++;
			}
			else if (c == '"') {
				quoted = !quoted;
			}
			else if (c == ';' && !quoted) {
				add(element.substring(from, i), pairs);
				from = i + 1;
			}
		}
		add(element.substring(from), pairs);
		return quoted ? null : pairs;
	}

	private static void add(String pair, List<String> pairs) {
		String text = pair.trim();
		if (!text.isEmpty()) {
			pairs.add(text);
		}
	}

	private static @Nullable String value(String text) {
		if (!text.startsWith("\"")) {
			return isPlain(text) ? text : null;
		}
		StringBuilder value = new StringBuilder(text.length());
		for (int i = 1; i < text.length(); i++) {
			char c = text.charAt(i);
			if (c == '"') {
				return (i == text.length() - 1) ? value.toString() : null;
			}
			if (c == '\\' && i + 1 < text.length()) {
				i++;
				c = text.charAt(i);
			}
			value.append(c);
		}
		return null;
	}

	private static boolean isPlain(String text) {
		return !text.isEmpty() && text.chars().noneMatch((c) -> c <= ' ' || c == '"' || c == '\\');
	}

	// A proxy may tell its port by a made up name
	private static String withoutHiddenPort(String node) {
		int port = node.lastIndexOf(":_");
		return (port > 0) ? node.substring(0, port) : node;
	}

}
