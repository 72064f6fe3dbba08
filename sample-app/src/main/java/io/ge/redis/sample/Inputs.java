// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * Checks of what comes in with requests, which all end in 400.
 */
public final class Inputs {

	private Inputs() {
	}

	/**
	 * Refuses a body without some text. To be thrown while the body is read.
	 * @param name the member of the body
	 * @throws IllegalArgumentException if it is missing or blank
	 */
	public static String requireText(String name, @Nullable String text) {
		if (text == null || text.isBlank()) {
			throw new IllegalArgumentException("The member '" + name + "' is needed");
		}
		return text;
	}

	/**
	 * Refuses a body without some number. To be thrown while the body is read.
	 * @param name the member of the body
	 * @throws IllegalArgumentException if it is missing
	 */
	public static Double requireNumber(String name, @Nullable Double number) {
		if (number == null) {
			throw new IllegalArgumentException("The member '" + name + "' is needed");
		}
		return number;
	}

	/**
	 * Refuses numbers that are out of range.
	 * @param name the parameter
	 */
	public static int requireRange(String name, int number, int from, int to) {
		if (number < from || number > to) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, name + " must be from " + from + " to " + to);
		}
		return number;
	}

	/**
	 * Makes a call whose arguments come from a request, such as a name that may be too
	 * long. What the call refuses before it asks Redis is a 400 that says why.
	 */
	public static <T> T checked(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (IllegalArgumentException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, ex.getMessage(), ex);
		}
	}

}
