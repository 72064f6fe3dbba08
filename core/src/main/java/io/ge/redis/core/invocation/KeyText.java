/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

import io.ge.redis.core.key.KeyPart;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.NativeDetector;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Turns the value of a key expression into text. Refuses what would make strangers share
 * an entity by accident: {@code null}, blank text, and objects without a text of their
 * own. A value class of Kotlin is what it wraps.
 */
public final class KeyText {

	/** Which types have a text of their own, which takes reflection to find out. */
	private static final ClassValue<Boolean> OWN_TEXT = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return hasOwnText(type);
		}

	};

	/** The method that unwraps a value class of Kotlin. */
	private static final ClassValue<Optional<Method>> UNBOX = new ClassValue<>() {

		@Override
		protected Optional<Method> computeValue(Class<?> type) {
			Method unbox = KotlinDetector.isInlineClass(type) ? ReflectionUtils.findMethod(type, "unbox-impl") : null;
			if (unbox != null) {
				ReflectionUtils.makeAccessible(unbox);
			}
			return Optional.ofNullable(unbox);
		}

	};

	private KeyText() {
	}

	/**
	 * Returns the parts that name an entity: one, or one for each element of a list.
	 * @throws InvalidKeyException if the value names nothing
	 */
	public static List<String> of(@Nullable Object given, Object what) {
		Object value = unwrap(given);
		Collection<?> elements = elements(value);
		return (elements != null) ? each(elements, what, KeyText::one) : List.of(one(value, what));
	}

	/**
	 * Returns the parts that name several entities.
	 * @param given the value of an expression for several keys: a collection or an array,
	 * not empty
	 * @throws InvalidKeyException if the value is nothing of the kind, or an element
	 * names nothing
	 */
	public static List<List<String>> several(@Nullable Object given, Object what) {
		Object value = unwrap(given);
		Collection<?> elements = elements(value);
		if (elements == null) {
			throw new InvalidKeyException(what + " evaluated to "
					+ ((value != null) ? "a " + value.getClass().getName() + ", which is" : "null, which is")
					+ " neither a collection nor an array. A list is written {#one, #other}", value == null);
		}
		return each(elements, what, KeyText::of);
	}

	private static @Nullable Collection<?> elements(@Nullable Object value) {
		if (value instanceof Collection<?> elements) {
			return elements;
		}
		return ObjectUtils.isArray(value) ? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

	/**
	 * Returns whether a value names nobody at all: {@code null}, blank text, or a list
	 * without elements. A list with an empty element is no such value: it names somebody
	 * incompletely.
	 */
	public static boolean isEmpty(@Nullable Object given) {
		Object value = unwrap(given);
		if (value instanceof CharSequence text) {
			return text.toString().isBlank();
		}
		Collection<?> elements = elements(value);
		return value == null || (elements != null && elements.isEmpty());
	}

	public static KeyPart[] parts(List<String> texts) {
		KeyPart[] parts = new KeyPart[texts.size()];
		for (int i = 0; i < parts.length; i++) {
			parts[i] = KeyPart.of(texts.get(i));
		}
		return parts;
	}

	private static <T> List<T> each(Collection<?> values, Object what, BiFunction<@Nullable Object, Object, T> text) {
		if (values.isEmpty()) {
			throw new InvalidKeyException(what + " evaluated to an empty list", true);
		}
		List<T> texts = new ArrayList<>(values.size());
		for (Object value : values) {
			texts.add(text.apply(value, what));
		}
		return texts;
	}

	private static String one(@Nullable Object given, Object what) {
		Object value = unwrap(given);
		if (value == null) {
			throw new InvalidKeyException(what + " evaluated to null", true);
		}
		if (value instanceof String text) {
			return requireText(text, what);
		}
		if (!OWN_TEXT.get(value.getClass())) {
			throw withoutText(value, what);
		}
		String text = value.toString();
		if (NativeDetector.inNativeImage() && text.startsWith(value.getClass().getName() + '@')) {
			throw withoutText(value, what);
		}
		return requireText(text, what);
	}

	// Kotlin's compiler passes what a value class wraps wherever it can, and the object
	// where it cannot. Both are the same value, and must be the same key
	private static @Nullable Object unwrap(@Nullable Object value) {
		Object unwrapped = value;
		while (unwrapped != null) {
			Method unbox = UNBOX.get(unwrapped.getClass()).orElse(null);
			if (unbox == null) {
				return unwrapped;
			}
			unwrapped = ReflectionUtils.invokeMethod(unbox, unwrapped);
		}
		return null;
	}

	private static InvalidKeyException withoutText(Object value, Object what) {
		return new InvalidKeyException(
				what + " evaluated to a " + value.getClass().getName() + ", which has no text of its own", false);
	}

	private static String requireText(String text, Object what) {
		if (text.isBlank()) {
			throw new InvalidKeyException(what + " evaluated to blank text", true);
		}
		return text;
	}

	// A native image only finds methods of which it was told: there the text shows it
	private static boolean hasOwnText(Class<?> type) {
		if (NativeDetector.inNativeImage()) {
			return true;
		}
		try {
			Method toString = type.getMethod("toString");
			return toString.getDeclaringClass() != Object.class && !type.isArray();
		}
		catch (NoSuchMethodException ex) {
			return false;
		}
	}

}
