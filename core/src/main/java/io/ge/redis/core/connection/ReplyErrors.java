// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import org.jspecify.annotations.Nullable;

/**
 * Reads error replies, whichever driver wrapped them.
 */
public final class ReplyErrors {

	private ReplyErrors() {
	}

	/**
	 * Returns whether the user lacks a permission.
	 */
	public static boolean isNoPermission(Throwable failure) {
		return find(failure, "NOPERM") != null;
	}

	/**
	 * Returns whether the server does not know a script.
	 */
	public static boolean isNoScript(Throwable failure) {
		return find(failure, "NOSCRIPT") != null;
	}

	/**
	 * Returns whether a group of consumers, or its stream, does not exist.
	 */
	public static boolean isNoGroup(Throwable failure) {
		return find(failure, "NOGROUP") != null;
	}

	/**
	 * Returns whether the keys of a call are on two servers, while their slot moves.
	 */
	public static boolean isTryAgain(Throwable failure) {
		return find(failure, "TRYAGAIN") != null;
	}

	/**
	 * Returns whether another server serves the slot of the keys.
	 */
	public static boolean isMoved(Throwable failure) {
		return find(failure, "MOVED ") != null;
	}

	/**
	 * Returns whether the server is well and only the slot of the keys moves or has
	 * moved.
	 */
	public static boolean isRedirection(Throwable failure) {
		return isMoved(failure) || isTryAgain(failure) || find(failure, "ASK ") != null;
	}

	public static boolean isNotCompiled(Throwable failure) {
		return find(failure, "ERR Error compiling script") != null;
	}

	private static @Nullable String find(Throwable failure, String start) {
		for (Throwable cause = failure; cause != null; cause = next(cause)) {
			String message = cause.getMessage();
			if (message != null && message.startsWith(start)) {
				return message;
			}
		}
		return null;
	}

	private static @Nullable Throwable next(Throwable failure) {
		return (failure.getCause() != failure) ? failure.getCause() : null;
	}

}
