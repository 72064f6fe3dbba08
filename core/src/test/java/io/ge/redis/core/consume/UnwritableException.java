// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

/**
 * An exception that fails when it is asked what it is.
 */
@SuppressWarnings("serial")
public class UnwritableException extends RuntimeException {

	@Override
	public String getMessage() {
		throw new IllegalStateException("broken");
	}

}
