/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.structure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Refuses arguments before Redis is asked. Messages name the argument.
 */
public final class Arguments {

	/** Of a member, and of an id that is part of a key. */
	public static final int MAX_BYTES = 200;

	/** How much one call asks for or brings. */
	public static final int MAX_COUNT = 1000;

	private Arguments() {
	}

	/** Checks data that is an element of a structure. */
	public static String member(String argument, String member) {
		Assert.notNull(member, () -> argument + " must not be null");
		byte[] bytes = member.getBytes(StandardCharsets.UTF_8);
		Assert.isTrue(bytes.length > 0 && bytes.length <= MAX_BYTES,
				() -> argument + " must have from 1 to " + MAX_BYTES + " bytes, has " + bytes.length);
		// Others like it would be the same bytes
		Assert.isTrue(new String(bytes, StandardCharsets.UTF_8).equals(member),
				() -> argument + " must be text, has half of a surrogate pair");
		return member;
	}

	/** Checks a name that is part of a key. */
	public static String name(String argument, String name) {
		member(argument, name);
		for (int i = 0; i < name.length(); i++) {
			char c = name.charAt(i);
			Assert.isTrue(c != '{' && c != '}' && c != ':' && !Character.isISOControl(c),
					() -> argument + " must have neither braces, colons nor control characters");
		}
		return name;
	}

	public static double finite(String argument, double number) {
		Assert.isTrue(Double.isFinite(number), () -> argument + " must be finite, was " + number);
		return number;
	}

	public static double range(String argument, double number, double from, double to) {
		// So that NaN fails
		Assert.isTrue(number >= from && number <= to,
				() -> argument + " must be from " + from + " to " + to + ", was " + number);
		return number;
	}

	public static int count(String argument, int count, int from) {
		Assert.isTrue(count >= from && count <= MAX_COUNT,
				() -> argument + " must be from " + from + " to " + MAX_COUNT + ", was " + count);
		return count;
	}

	public static void size(String argument, Collection<?> elements) {
		count("The number of " + argument, elements.size(), 1);
	}

	/**
	 * Checks a name that is part of keys.
	 */
	public static void requireName(String place, String name) {
		Assert.isTrue(name.matches("[A-Za-z0-9_.-]{1," + MAX_BYTES + "}"),
				() -> place + ": a name may have letters, digits, '_', '.' and '-', neither braces, colons nor slashes,"
						+ " and at most " + MAX_BYTES + " bytes");
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
