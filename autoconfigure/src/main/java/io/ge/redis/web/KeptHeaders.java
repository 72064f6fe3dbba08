/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.web;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The headers that are kept of a response: those with certain names that were set since
 * it is held back. What filters around it have set before they set for each response.
 */
final class KeptHeaders {

	private static final List<String> OF_THE_BODY = List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.CONTENT_ENCODING,
			HttpHeaders.CONTENT_RANGE, HttpHeaders.CONTENT_DISPOSITION);

	private final Set<String> names;

	private @Nullable Map<String, List<String>> before;

	private @Nullable Locale locale;

	KeptHeaders(Set<String> names) {
		this.names = names;
	}

	boolean contains(String name) {
		return this.names.contains(name);
	}

	/**
	 * Notes the locale that was set, for servers that do not show it.
	 */
	void locale(@Nullable Locale newLocale) {
		this.locale = newLocale;
	}

	/**
	 * The response is held back from now on, and again for each further attempt of the
	 * same request, which does not count.
	 */
	void begin(HttpServletResponse response) {
		if (this.before == null) {
			this.before = present(response);
		}
	}

	Map<String, List<String>> of(HttpServletResponse response) {
		Map<String, List<String>> headers = present(response);
		if (this.before != null) {
			headers.entrySet().removeAll(this.before.entrySet());
		}
		return headers;
	}

	/**
	 * Returns the headers without those that describe the body.
	 */
	Map<String, List<String>> withoutBody(HttpServletResponse response) {
		Map<String, List<String>> headers = of(response);
		OF_THE_BODY.forEach(headers::remove);
		return headers;
	}

	private Map<String, List<String>> present(HttpServletResponse response) {
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (String name : this.names) {
			Collection<String> values = response.getHeaders(name);
			String property = property(response, name);
			if (property != null) {
				headers.put(name, List.of(property));
			}
			else if (values != null && !values.isEmpty()) {
				headers.put(name, List.copyOf(values));
			}
		}
		return headers;
	}

	// Not every server shows its properties among the headers
	private @Nullable String property(HttpServletResponse response, String name) {
		if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
			return response.getContentType();
		}
		return (this.locale != null && name.equalsIgnoreCase(HttpHeaders.CONTENT_LANGUAGE))
				? this.locale.toLanguageTag() : null;
	}

}
