// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.invocation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.URI;
import java.security.Principal;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.InvalidKeyException;
import io.ge.redis.core.call.OngoingResults;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.key.KeyPart;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Turns the value of a key into text: equal values into equal text, others into others.
 * <p>
 * A value is text, a number of the JDK, a boolean, an enum (by its name), or a
 * {@code UUID}; a value of {@code java.time}, a {@code URI}, a {@code Locale} or a
 * {@code Currency}; an {@code InetAddress} (the address) or a {@code Principal} (its
 * name); {@code byte[]} (its SHA-256); an {@code Optional} or a value class of Kotlin
 * (the content); or a list, an array or a record of those, in order, or a set or map of
 * those, sorted. Any other value is refused, since its {@code toString()} may differ for
 * equal values, or be the same for all. So are {@code null} and blank text, by which
 * callers would share an entity.
 * <p>
 * Elements of the key are parts. A list within it is one part: {@code [a, [b, c]]}, where
 * a backslash escapes brackets and commas of texts.
 */
public final class KeyText {

	/** The most elements of one key, including nested ones. */
	private static final int MOST_ELEMENTS = 1000;

	/** Lists within each other, which a list that contains itself exceeds. */
	private static final int MOST_LEVELS = 50;

	/** Levels up to which a declared type is read, which may contain itself. */
	private static final int DEEPEST_TYPE = 8;

	private static final Set<Class<?>> TEXTS = Set.of(UUID.class, URI.class, Locale.class, Currency.class,
			byte[].class);

	private static final List<Class<?>> ANY_TEXTS = List.of(CharSequence.class, Enum.class, Principal.class,
			InetAddress.class);

	private static final List<Class<?>> TEXTS_OF_THE_JDK = List.of(Number.class, TemporalAccessor.class,
			TemporalAmount.class, ZoneId.class);

	/** Escaped within a list. */
	private static final String SPECIAL = "[\\\\,\\[\\]]";

	/** Text that would be the same as a list. */
	private static final Pattern LIKE_A_LIST = Pattern.compile("\\\\*\\[.*]", Pattern.DOTALL);

	/** The methods that unwrap a value class of Kotlin, or read a record. */
	private static final ClassValue<List<Method>> CONTENT = new ClassValue<>() {

		@Override
		protected List<Method> computeValue(Class<?> type) {
			List<Method> methods = type.isRecord()
					? Arrays.stream(type.getRecordComponents()).map(RecordComponent::getAccessor).toList()
					: KotlinDetector.isInlineClass(type) ? Arrays.stream(type.getMethods())
						.filter((method) -> method.getName().equals("unbox-impl"))
						.toList() : List.of();
			methods.forEach(ReflectionUtils::makeAccessible);
			return methods;
		}

	};

	private final Object what;

	private final boolean complete;

	private int elements;

	private int level;

	private KeyText(Object what, boolean complete) {
		this.what = what;
		this.complete = complete;
	}

	/**
	 * Returns the parts that name an entity: one, or one for each element of a list.
	 * @throws InvalidKeyException if the value names nothing
	 */
	public static List<String> of(@Nullable Object value, Object what) {
		return (value instanceof String text && !text.isBlank() && !text.endsWith("]")) ? List.of(text)
				: new KeyText(what, true).parts(value);
	}

	/**
	 * Returns the parts that name an entity, of which {@code null}, blank text and empty
	 * lists are names, too.
	 * @throws InvalidKeyException if the value has no text
	 */
	public static List<String> ofIncomplete(@Nullable Object value, Object what) {
		return new KeyText(what, false).parts(value);
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
		Collection<?> keys = (value instanceof Collection<?> any) ? any
				: ObjectUtils.isArray(value) ? elements(value) : null;
		if (keys == null) {
			throw new InvalidKeyException(what,
					"evaluated to "
							+ ((value != null) ? "a " + value.getClass().getName() + ", which is" : "null, which is")
							+ " neither a collection nor an array. A list is written {#one, #other}",
					value == null);
		}
		if (keys.isEmpty()) {
			throw new InvalidKeyException(what, "evaluated to an empty list", true);
		}
		return keys.stream().map((key) -> of(key, what)).toList();
	}

	/**
	 * Returns whether a value names no entity at all: {@code null}, blank text, or a list
	 * without elements. A list with an empty element is no such value: it names an entity
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

	/**
	 * Returns the classes in the declared type of a key whose values have no text.
	 */
	static Stream<Class<?>> refused(ResolvableType declared) {
		return refused(declared, 0);
	}

	private static Stream<Class<?>> refused(ResolvableType declared, int depth) {
		Class<?> type = declared.resolve(Object.class);
		if (depth > DEEPEST_TYPE || isText(type)) {
			return Stream.empty();
		}
		Stream<ResolvableType> content = content(declared, type);
		if (content != null) {
			return content.flatMap((each) -> refused(each, depth + 1));
		}
		boolean open = type == Object.class || Modifier.isAbstract(type.getModifiers());
		return (open && !OngoingResults.isOngoing(type)) ? Stream.empty() : Stream.of(type);
	}

	private static @Nullable Stream<ResolvableType> content(ResolvableType declared, Class<?> type) {
		if (type.isArray()) {
			return Stream.of(declared.getComponentType());
		}
		for (Class<?> container : List.of(Optional.class, Collection.class, Map.class)) {
			if (container.isAssignableFrom(type)) {
				return Arrays.stream(declared.as(container).getGenerics());
			}
		}
		return (type.isRecord() || isValueClass(type)) ? CONTENT.get(type)
			.stream()
			.map((accessor) -> ResolvableType.forType(accessor.getGenericReturnType(), declared)) : null;
	}

	/**
	 * Returns what to write instead of a key that has no text.
	 */
	static String remedy(Class<?> type) {
		return OngoingResults.isOngoing(type) ? "Its value is not known yet: take the key from another argument."
				: "Name one of its values, such as #order.id, or the text that a bean gives it, such as @keys.of(#order).";
	}

	private List<String> parts(@Nullable Object given) {
		Object value = unwrap(given);
		Collection<?> elements = elements(value);
		if (elements == null) {
			return List.of(text(value, false));
		}
		if (!elements.isEmpty()) {
			return texts(value, elements, false);
		}
		requireIncomplete("an empty list");
		return List.of("[]");
	}

	private List<String> texts(@Nullable Object value, Collection<?> elements, boolean nested) {
		this.elements += elements.size();
		this.level++;
		if (this.elements > MOST_ELEMENTS || this.level > MOST_LEVELS) {
			throw new InvalidKeyException(this.what, "evaluated to a list of more than " + MOST_ELEMENTS
					+ " elements or " + MOST_LEVELS + " levels. Name what they have in common", false);
		}
		List<String> texts = new ArrayList<>(elements.size());
		for (Object element : elements) {
			texts.add(text(element, nested));
		}
		this.level--;
		if (value instanceof Set || value instanceof Map) {
			Collections.sort(texts);
		}
		return texts;
	}

	private String text(@Nullable Object given, boolean nested) {
		Object value = unwrap(given);
		Collection<?> elements = elements(value);
		if (elements != null) {
			return "[" + String.join(", ", texts(value, elements, true)) + "]";
		}
		if (value == null) {
			requireIncomplete("null");
			return nested ? "\\N" : "";
		}
		String text = single(value);
		if (text.isBlank()) {
			requireIncomplete("blank text");
			// Distinct from null
			text = " " + text;
		}
		if (nested) {
			return text.replaceAll(SPECIAL, "\\\\$0");
		}
		return (text.endsWith("]") && LIKE_A_LIST.matcher(text).matches()) ? "\\" + text : text;
	}

	private String single(Object value) {
		if (value instanceof String text) {
			return text;
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (value instanceof InetAddress address) {
			return address.getHostAddress();
		}
		if (value instanceof byte[] bytes) {
			return (bytes.length > 0) ? Base64.getUrlEncoder().withoutPadding().encodeToString(Sha256.of(bytes)) : "";
		}
		if (isText(value.getClass())) {
			return value.toString();
		}
		throw new InvalidKeyException(this.what, "evaluated to a " + value.getClass().getName()
				+ ", which has no text of its own. " + remedy(value.getClass()), false);
	}

	private void requireIncomplete(String missing) {
		if (this.complete) {
			throw new InvalidKeyException(this.what, "evaluated to " + missing, true);
		}
	}

	private static boolean isText(Class<?> type) {
		return ClassUtils.isPrimitiveOrWrapper(type) || TEXTS.contains(type) || isOneOf(type, ANY_TEXTS)
				|| (type.getName().startsWith("java.") && isOneOf(type, TEXTS_OF_THE_JDK));
	}

	private static boolean isOneOf(Class<?> type, List<Class<?>> supertypes) {
		for (Class<?> supertype : supertypes) {
			if (supertype.isAssignableFrom(type)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isValueClass(Class<?> type) {
		return !type.isRecord() && !CONTENT.get(type).isEmpty();
	}

	// Kotlin's compiler passes the content of a value class where it can, else the
	// object. Both are the same value, and must be the same key
	private static @Nullable Object unwrap(@Nullable Object given) {
		Object value = given;
		while (value != null) {
			if (value instanceof Optional<?> optional) {
				value = optional.orElse(null);
			}
			else if (value instanceof Principal principal) {
				return principal.getName();
			}
			else if (isValueClass(value.getClass())) {
				value = ReflectionUtils.invokeMethod(CONTENT.get(value.getClass()).get(0), value);
			}
			else {
				return value;
			}
		}
		return null;
	}

	private static @Nullable Collection<?> elements(@Nullable Object value) {
		if (value instanceof List<?> || value instanceof Set<?>) {
			return (Collection<?>) value;
		}
		if (value instanceof Map<?, ?> map) {
			return map.entrySet().stream().map((entry) -> Arrays.asList(entry.getKey(), entry.getValue())).toList();
		}
		if (value instanceof Record) {
			return CONTENT.get(value.getClass())
				.stream()
				.map((accessor) -> Optional.ofNullable(ReflectionUtils.invokeMethod(accessor, value)))
				.toList();
		}
		return (ObjectUtils.isArray(value) && !(value instanceof byte[]))
				? Arrays.asList(ObjectUtils.toObjectArray(value)) : null;
	}

}
