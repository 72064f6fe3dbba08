/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.json;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.ge.redis.core.json.ObjectFields.Fields;
import io.ge.redis.core.json.ObjectFields.Part;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

import org.springframework.util.ObjectUtils;

/**
 * A place of a declared type, such as a field or the elements of a list, and the classes
 * of values that came back from there. Remembers a limited number of classes.
 */
final class Place {

	private static final int MOST = 32;

	private static final Fields NONE = new Fields(false, false, true, true, List.of());

	private final JavaType declared;

	private final ObjectFields fields;

	private volatile Seen[] seen = {};

	private volatile @Nullable Place keys;

	private volatile @Nullable Place content;

	Place(JavaType declared, ObjectFields fields) {
		this.declared = declared;
		this.fields = fields;
	}

	/**
	 * Returns whether values of this shape are known to come back. Visits only what is
	 * written, which has no cycles.
	 * @param learn whether this shape is known from now on
	 */
	boolean visit(@Nullable Object value, boolean learn) {
		Class<?> type = (value != null) ? value.getClass() : Void.class;
		for (Seen candidate : this.seen) {
			if (candidate.type() == type
					&& (value == null || candidate.special() == candidate.kind().isSpecial(value))) {
				return visitParts(candidate, value, learn);
			}
		}
		Seen learnt = learn ? learn(value, type) : null;
		return (learnt != null) ? visitParts(learnt, value, true) : learn;
	}

	// Of two that learn at a time one may be forgotten, and is compared again
	private @Nullable Seen learn(@Nullable Object value, Class<?> type) {
		Kind kind = Kind.of(value);
		Fields found = (value != null && kind == Kind.OBJECT) ? this.fields.of(value, this.declared) : NONE;
		if (this.seen.length == MOST || !found.typical()
				|| (value != null && kind != Kind.CONTAINER && !this.fields.isExact(type))) {
			return null;
		}
		Seen[] all = Arrays.copyOf(this.seen, this.seen.length + 1);
		Seen made = new Seen(type, kind, value != null && kind.isSpecial(value),
				found.bean() ? found.parts() : List.of());
		all[all.length - 1] = made;
		this.seen = all;
		return made;
	}

	private boolean visitParts(Seen found, @Nullable Object value, boolean learn) {
		if (value != null && found.kind() == Kind.CONTAINER) {
			return visitContent(value, learn);
		}
		return value == null || visitFields(found.parts(), value, learn);
	}

	private boolean visitContent(Object value, boolean learn) {
		if (ObjectFields.comparator(value) != null) {
			return learn;
		}
		if (value instanceof Map<?, ?> map) {
			return visitAll(keys(), map.keySet(), learn) && visitAll(content(), map.values(), learn);
		}
		if (value instanceof Collection<?> elements) {
			return visitAll(content(), elements, learn);
		}
		if (value instanceof Object[] elements) {
			return visitAll(content(), Arrays.asList(elements), learn);
		}
		return !(value instanceof Optional<?> optional) || optional.isEmpty() || content().visit(optional.get(), learn);
	}

	private static boolean visitAll(Place place, Collection<?> elements, boolean learn) {
		for (Object element : elements) {
			if (!place.visit(element, learn)) {
				return false;
			}
		}
		return true;
	}

	private boolean visitFields(List<Part> parts, Object value, boolean learn) {
		for (int i = 0; i < parts.size(); i++) {
			if (!isKnown(parts.get(i), value, learn)) {
				return false;
			}
		}
		return true;
	}

	private boolean isKnown(Part part, Object owner, boolean learn) {
		if (part.written()) {
			// A primitive one has one shape
			return part.field().getType().isPrimitive() || part.place().visit(part.of(owner), learn);
		}
		Object content = part.of(owner);
		return ObjectUtils.isEmpty(content) ? part.place().visit(content, learn)
				: learn || !this.fields.counts(part, content);
	}

	// One place for all that is in a value of an open type
	private Place content() {
		Place known = this.content;
		if (known == null) {
			JavaType type = this.declared.getContentType();
			known = (type != null) ? new Place(type, this.fields) : this;
			this.content = known;
		}
		return known;
	}

	private Place keys() {
		Place known = this.keys;
		if (known == null) {
			JavaType type = this.declared.getKeyType();
			known = new Place((type != null) ? type : this.declared, this.fields);
			this.keys = known;
		}
		return known;
	}

	/**
	 * Kinds of classes, by the special cases that may come back in another way.
	 */
	private enum Kind {

		CONTAINER, TEXT, NUMBER, OBJECT, OTHER;

		static Kind of(@Nullable Object value) {
			if (value == null || value instanceof Enum || value instanceof Integer) {
				return OTHER;
			}
			if (value instanceof CharSequence) {
				return TEXT;
			}
			if (value instanceof Number) {
				return NUMBER;
			}
			if (ObjectFields.isContainer(value)) {
				return CONTAINER;
			}
			return ObjectFields.isOfTheJdk(value.getClass()) ? OTHER : OBJECT;
		}

		// Numbers that fit a smaller type or are none, and what is empty
		boolean isSpecial(Object value) {
			return switch (this) {
				case CONTAINER -> ObjectUtils.isEmpty(value);
				case TEXT -> ((CharSequence) value).isEmpty();
				case NUMBER -> isSpecial((Number) value);
				default -> false;
			};
		}

		private static boolean isSpecial(Number number) {
			if (number instanceof Double || number instanceof Float) {
				return !Double.isFinite(number.doubleValue());
			}
			return (number instanceof Long && number.longValue() == number.intValue())
					|| (number instanceof BigInteger integer && integer.bitLength() < Long.SIZE);
		}

	}

	/**
	 * A class that came back.
	 *
	 * @param special whether its special cases did
	 * @param parts the fields of an object
	 */
	private record Seen(Class<?> type, Kind kind, boolean special, List<Part> parts) {
	}

}
