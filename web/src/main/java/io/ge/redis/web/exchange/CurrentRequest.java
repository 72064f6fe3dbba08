// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.exchange;

import java.lang.reflect.Method;
import java.util.List;

import io.ge.redis.idempotency.spi.IdempotentExchange;
import org.jspecify.annotations.Nullable;

/**
 * The request that is being answered, whatever the server is.
 */
interface CurrentRequest {

	List<String> headers(String name);

	/**
	 * Returns the content that must be equal in a repetition, {@code null} if it cannot
	 * be read unchanged.
	 */
	@Nullable List<@Nullable Object> content(Method handler);

	List<@Nullable Object> contentWithoutBody();

	/**
	 * Makes an argument of a type of the server comparable by its fields.
	 */
	@Nullable Object comparable(@Nullable Object argument);

	/**
	 * Returns the exchange for a new call, {@code null} if the call does not answer it.
	 */
	@Nullable IdempotentExchange exchange(Method handler);

	/**
	 * Returns the action before a replay of an earlier result, possibly on another
	 * thread.
	 */
	Runnable replaying();

}
