// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.invocation.GuardedMethod;
import org.jspecify.annotations.Nullable;

/**
 * Finds the request that a handler answers.
 */
interface HandlerRequests {

	/** The body of a request that has none, or that was taken apart. */
	byte[] NO_BODY = Sha256.digest().digest();

	/**
	 * Returns the request, {@code null} if a handler is called by other code.
	 */
	@Nullable Current current();

	/**
	 * Refuses handlers whose requests would not be found.
	 */
	default void require(GuardedMethod handler) {
	}

	/**
	 * Returns the content by which a request and its repetition are compared, before the
	 * body. It is laid out alike on servlets and WebFlux, so that instances of both kinds
	 * know each other's requests.
	 * @param path the path within the application
	 */
	static List<@Nullable Object> content(String method, String path, Map<String, List<String>> parameters) {
		List<@Nullable Object> content = new ArrayList<>();
		content.add(method);
		content.add(path);
		content.add(new TreeMap<>(parameters));
		return content;
	}

	static List<Object> part(String name, @Nullable String fileName, byte[] hash) {
		return List.of(name, (fileName != null) ? fileName : "", hash);
	}

	/** The request that is being answered, whatever the server is. */
	interface Current {

		List<String> headers(String name);

		/**
		 * Returns the content that must be equal in a repetition, {@code null} if it
		 * cannot be read unchanged.
		 */
		@Nullable List<@Nullable Object> content(Method handler);

		List<@Nullable Object> contentWithoutBody();

		/**
		 * Returns the exchange for a new call, {@code null} if the call does not answer
		 * it.
		 */
		@Nullable Exchange exchange(Method handler);

		/**
		 * Returns the action before a replay of an earlier result, possibly on another
		 * thread.
		 */
		Runnable replaying();

	}

}
