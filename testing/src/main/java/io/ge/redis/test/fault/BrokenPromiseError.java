// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.fault;

/**
 * A fault run that broke its promise, or one without its protection in which nothing was
 * broken. It is never repeated, since a promise that is broken once is broken.
 */
public final class BrokenPromiseError extends AssertionError {

	BrokenPromiseError(String message) {
		super(message);
	}

}
