// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.blacklist;

/**
 * Reaction at startup to an application that decodes JWTs without checking whether they
 * were revoked.
 */
public enum UncheckedDecoder {

	/**
	 * The application does not start.
	 */
	FAIL,

	/**
	 * The application starts, and the log warns of it.
	 */
	WARN

}
