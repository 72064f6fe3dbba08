// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.draft;

import java.net.URI;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A server whose resources are to take the header {@code Idempotency-Key} as the draft
 * says. All of them are asked by {@code POST} with a content that is JSON.
 */
public interface IdempotentServer {

	/**
	 * A resource that needs the header. Each request that is processed has one effect,
	 * and is answered with a status below 300, a {@code Location} and a content that no
	 * other request gets.
	 * @return its address
	 */
	URI resource();

	/**
	 * A resource that needs the header, and answers to each request that is processed
	 * with an error that another attempt would not change, such as a 422, and with a
	 * content that no other request gets.
	 * @return its address
	 */
	URI refusing();

	/**
	 * A resource that needs the header, and answers as {@link #resource()} once
	 * {@link #release()} was called.
	 * @return its address
	 */
	URI slow();

	/**
	 * Waits until a request to the slow resource is being processed.
	 */
	void awaitProcessing();

	/**
	 * Lets the request to the slow resource be answered, and further ones as well.
	 */
	void release();

	/**
	 * How many requests have had an effect.
	 * @return the number, since the server began or at any other time
	 */
	long effects();

	/**
	 * A content that the resources take.
	 * @param number tells contents from each other
	 * @return the content
	 */
	default String content(int number) {
		return "{\"amount\":" + number + "}";
	}

	/**
	 * What a client sends to be known as a user.
	 * @param name {@code anna} or {@code boris}
	 * @return header fields, none if the server knows no users
	 */
	default Map<String, String> credentials(String name) {
		return Map.of();
	}

	/**
	 * Where the use of the header is documented, to which refusals refer by their
	 * {@code type} or by a field {@code Link}.
	 * @return the beginning of the address, or {@code null} if refusals do not refer to
	 * it
	 */
	default @Nullable String documentation() {
		return null;
	}

}
