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
	 * Returns what must be equal in a repetition, {@code null} if it cannot be seen as it
	 * came.
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
	 * Returns what is done before the result of an earlier call is given again, possibly
	 * on another thread.
	 */
	Runnable replaying();

}
