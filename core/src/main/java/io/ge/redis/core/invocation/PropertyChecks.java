// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Refuses properties that cannot work. Messages name the property.
 */
public final class PropertyChecks {

	private static final int MAX_NAME_BYTES = 200;

	private PropertyChecks() {
	}

	/**
	 * Checks a name that is part of keys.
	 */
	public static void requireName(String place, String name) {
		Assert.isTrue(name.matches("[A-Za-z0-9_.-]{1," + MAX_NAME_BYTES + "}"),
				() -> place + ": a name may have letters, digits, '_', '.' and '-', neither braces, colons nor slashes,"
						+ " and at most " + MAX_NAME_BYTES + " bytes");
	}

	/**
	 * Checks what the environment has by name, and the names.
	 * @param properties where it is, such as {@code ge.redis.queue.queues}
	 * @param check gets each with the properties of that one
	 */
	public static <T> void each(String properties, Map<String, T> named, BiConsumer<T, String> check) {
		named.forEach((name, value) -> {
			String place = properties + "." + name;
			requireName(place, name);
			check.accept(value, place);
		});
	}

	/**
	 * Checks a number of the environment, if it is set.
	 */
	public static void atLeast(String property, long least, @Nullable Number value) {
		require(value == null || value.longValue() >= least, property, "at least " + least, value);
	}

	/**
	 * Checks a duration of the environment, if it is set.
	 */
	public static void atLeastMillis(String property, long least, @Nullable Duration value) {
		require(value == null || value.toMillis() >= least, property, "at least " + least + "ms", value);
	}

	public static void require(boolean valid, String property, String rule, @Nullable Object value) {
		Assert.isTrue(valid, () -> property + " must be " + rule + ", was " + value);
	}

}
