// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Turns a protection off in an instance, to show that the test which relies on it would
 * notice. It exists in tests only, and fails where there is nothing to turn off, so that
 * it cannot outlive what it names.
 */
public sealed interface Sabotage {

	/**
	 * Changes a script.
	 * @param resource its name on the class path, such as
	 * {@code io/ge/redis/lock/renew.lua}
	 * @param change from the text to another one
	 * @return the sabotage
	 * @throws IllegalArgumentException if there is no such script or it stays as it is
	 */
	static Sabotage script(String resource, UnaryOperator<String> change) {
		String before = read(resource);
		String after = change.apply(before);
		if (after.equals(before)) {
			throw new IllegalArgumentException("The sabotage changes nothing in " + resource);
		}
		return new Script(before, after);
	}

	/**
	 * Replaces one piece of a script.
	 * @param resource its name on the class path
	 * @param from the piece, which stands there once
	 * @param to what stands there instead
	 * @return the sabotage
	 * @throws IllegalArgumentException if the piece does not stand there exactly once
	 */
	static Sabotage script(String resource, String from, String to) {
		return script(resource, (text) -> {
			int index = text.indexOf(from);
			if (index < 0 || text.indexOf(from, index + 1) >= 0) {
				throw new IllegalArgumentException("Not once in " + resource + ": " + from);
			}
			return text.replace(from, to);
		});
	}

	/**
	 * Lets all methods of a name do nothing and return {@code null} or zero.
	 * @param type the class
	 * @param method the name of its methods
	 * @return the sabotage
	 * @throws IllegalArgumentException if there is no such method
	 */
	static Sabotage skip(Class<?> type, String method) {
		return skip(type.getName(), method);
	}

	/**
	 * Lets all methods of a name do nothing and return {@code null} or zero.
	 * @param type the name of the class
	 * @param method the name of its methods
	 * @return the sabotage
	 * @throws IllegalArgumentException if there is no such method
	 */
	static Sabotage skip(String type, String method) {
		requireMethod(type, method);
		return new Code(type, method, true, null);
	}

	/**
	 * Lets all methods of a name do nothing and return a constant.
	 * @param type the class
	 * @param method the name of its methods
	 * @param constant what they return; where they return a future, one completed with it
	 * @return the sabotage
	 * @throws IllegalArgumentException if there is no such method
	 */
	static Sabotage answer(Class<?> type, String method, @Nullable Serializable constant) {
		return answer(type.getName(), method, constant);
	}

	/**
	 * Lets all methods of a name do nothing and return a constant.
	 * @param type the name of the class
	 * @param method the name of its methods
	 * @param constant what they return; where they return a future, one completed with it
	 * @return the sabotage
	 * @throws IllegalArgumentException if there is no such method
	 */
	static Sabotage answer(String type, String method, @Nullable Serializable constant) {
		requireMethod(type, method);
		return new Code(type, method, false, constant);
	}

	private static String read(String resource) {
		try (InputStream stream = Sabotage.class.getClassLoader().getResourceAsStream(resource)) {
			if (stream == null) {
				throw new IllegalArgumentException("There is no " + resource);
			}
			return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void requireMethod(String type, String name) {
		try {
			Class<?> found = Class.forName(type, false, Sabotage.class.getClassLoader());
			if (Arrays.stream(found.getDeclaredMethods()).map(Method::getName).noneMatch(name::equals)) {
				throw new IllegalArgumentException(type + " has no method " + name);
			}
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalArgumentException("There is no " + type, ex);
		}
	}

	record Script(String before, String after) implements Sabotage {
	}

	record Code(String type, String method, boolean skip, @Nullable Serializable constant) implements Sabotage {
	}

}
