/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web.limit;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The {@code for} of {@code Forwarded} as of RFC 7239, such as {@code
 * for="[2001:db8::1]:4711";proto=https}. Read from the end, a quote opens a value unless
 * an odd number of backslashes stands before it; so the word of the last proxy can be
 * told from that of the client even if the client left a quote open. IPv6 may stand there
 * without quotes.
 */
final class Forwarded {

	// Possessive, so that long fields take no stack
	private static final Pattern PAIR = Pattern.compile("[\\x00- ]*+(?:([^\\x00- \"\\\\=;]++)=(?:([^\\x00- \"\\\\;]++)"
			+ "|\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"))?+[\\x00- ]*+(?:;|$)", Pattern.DOTALL);

	private Forwarded() {
	}

	static int commaBefore(String line, int end) {
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

	static @Nullable String node(String element) {
		String node = null;
		Matcher pair = PAIR.matcher(element);
		for (int start = 0; start < element.length(); start = pair.end()) {
			if (!pair.region(start, element.length()).lookingAt()) {
				return null;
			}
			if ("for".equalsIgnoreCase(pair.group(1))) {
				if (node != null) {
					return null;
				}
				node = (pair.group(2) != null) ? pair.group(2) : pair.group(3).replaceAll("(?s)\\\\(.)", "$1");
			}
		}
		return (node != null) ? withoutHiddenPort(node) : null;
	}

	// A proxy may tell its port by a made up name
	private static String withoutHiddenPort(String node) {
		int port = node.lastIndexOf(":_");
		return (port > 0) ? node.substring(0, port) : node;
	}

}
