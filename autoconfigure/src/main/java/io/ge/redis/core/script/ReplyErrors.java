/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.script;

import org.jspecify.annotations.Nullable;

/**
 * Reads the error replies that an executor answers itself, whichever driver wrapped them.
 */
final class ReplyErrors {

	private ReplyErrors() {
	}

	static boolean isNoScript(Throwable failure) {
		return mentions(failure, "NOSCRIPT");
	}

	static boolean isNotCompiled(Throwable failure) {
		return mentions(failure, "ERR Error compiling script");
	}

	/**
	 * Returns the server to which a server of a cluster refers.
	 * @return host and port, or {@code null} if the failure is another one
	 */
	static @Nullable String movedTo(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = next(cause)) {
			String message = cause.getMessage();
			if (message != null && message.startsWith("MOVED ")) {
				return message.substring(message.lastIndexOf(' ') + 1);
			}
		}
		return null;
	}

	private static boolean mentions(Throwable failure, String start) {
		for (Throwable cause = failure; cause != null; cause = next(cause)) {
			String message = cause.getMessage();
			if (message != null && message.startsWith(start)) {
				return true;
			}
		}
		return false;
	}

	private static @Nullable Throwable next(Throwable failure) {
		return (failure.getCause() != failure) ? failure.getCause() : null;
	}

}
