// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import org.jspecify.annotations.Nullable;

/**
 * A command was refused before it was sent: it has certainly not run.
 */
public final class NotConnectedException extends RuntimeException {

	NotConnectedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
