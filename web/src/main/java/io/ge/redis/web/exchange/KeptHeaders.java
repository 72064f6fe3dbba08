// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * The headers that are kept of a response: those with certain names that were set since
 * it is held back. Headers set by filters around it are not kept, since those set them
 * for each response.
 */
final class KeptHeaders {

	private static final List<String> OF_THE_BODY = List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.CONTENT_ENCODING,
			HttpHeaders.CONTENT_RANGE, HttpHeaders.CONTENT_DISPOSITION);

	private final Set<String> names;

	private @Nullable Map<String, List<String>> before;

	public KeptHeaders(Set<String> names) {
		this.names = names;
	}

	public boolean contains(String name) {
		return this.names.contains(name);
	}

	/**
	 * Holds the response back from now on; again for each attempt of the same request.
	 */
	public void begin(Function<String, @Nullable Collection<String>> response) {
		if (this.before == null) {
			this.before = present(response);
		}
	}

	public Map<String, List<String>> of(Function<String, @Nullable Collection<String>> response, boolean body) {
		Map<String, List<String>> headers = present(response);
		if (this.before != null) {
			headers.entrySet().removeAll(this.before.entrySet());
		}
		if (!body) {
			OF_THE_BODY.forEach(headers::remove);
		}
		return headers;
	}

	public Map<String, List<String>> present(Function<String, @Nullable Collection<String>> response) {
		Map<String, List<String>> headers = new LinkedHashMap<>();
		for (String name : this.names) {
			Collection<String> values = response.apply(name);
			if (values != null && !values.isEmpty()) {
				headers.put(name, List.copyOf(values));
			}
		}
		return headers;
	}

}
