// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.event;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * The texts of a failure, cut to what is worth keeping. Reading them never fails,
 * although a foreign exception may: otherwise nothing would be settled any more.
 *
 * @param type the name of its class
 * @param message its message
 * @param stackTrace the beginning of its stack trace
 */
public record FailureText(String type, String message, String stackTrace) {

	private static final int LONGEST = 1000;

	/**
	 * Asks a failure.
	 */
	public static FailureText of(Throwable failure) {
		String type = failure.getClass().getName();
		try {
			StringWriter trace = new StringWriter();
			failure.printStackTrace(new PrintWriter(trace));
			return new FailureText(type, cut(String.valueOf(failure.getMessage())), cut(trace.toString()));
		}
		catch (Throwable ex) {
			return new FailureText(type, "(the exception cannot be written)", "");
		}
	}

	@Override
	public String toString() {
		return this.type + ": " + this.message;
	}

	private static String cut(String text) {
		return text.substring(0, Math.min(LONGEST, text.length()));
	}

}
