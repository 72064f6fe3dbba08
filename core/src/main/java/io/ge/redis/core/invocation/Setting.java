// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

/**
 * An effective setting.
 */
public record Setting(Object value, Origin origin) {

	public enum Origin {

		/** {@code ge.redis.*} in the environment, which wins. */
		PROPERTIES,

		/** The annotation. */
		ANNOTATION,

		/** Neither: the built-in value. */
		DEFAULT,

		/** A change at run time, through the endpoint. */
		ENDPOINT,

		/** A bean of the application, which decides for each call. */
		BEAN,

		/** {@code ge.redis.*} in the environment, for one key. */
		PROPERTIES_FOR_KEY,

		/** A change at run time for one key, through the endpoint. */
		ENDPOINT_FOR_KEY

	}

}
