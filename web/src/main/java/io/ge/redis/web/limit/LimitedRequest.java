// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.web.limit;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A request as rules see it, on every web stack.
 */
interface LimitedRequest {

	String method();

	@Nullable String header(String name);

	/**
	 * Returns the address of the client as the container knows it.
	 */
	@Nullable String address();

	List<String> headers(String name);

	@Nullable String user();

	Object exposed();

}
