// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.ge.redis.core.hash.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * The content by which a request and its repetition are compared: the HTTP method, the
 * path within the application, the parameters, and the body. It is laid out alike on
 * servlets and WebFlux, so that instances of both kinds know each other's requests.
 */
final class ComparedRequest {

	/** The body of a request that has none, or that was taken apart. */
	public static final byte[] NOTHING = Sha256.digest().digest();

	private ComparedRequest() {
	}

	public static List<@Nullable Object> withoutBody(String method, String path, Map<String, List<String>> parameters) {
		List<@Nullable Object> content = new ArrayList<>();
		content.add(method);
		content.add(path);
		content.add(new TreeMap<>(parameters));
		return content;
	}

	public static List<Object> part(String name, @Nullable String fileName, byte[] hash) {
		return List.of(name, (fileName != null) ? fileName : "", hash);
	}

}
