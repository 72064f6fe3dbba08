// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.ge.redis.core.json.ObjectFields.Fields;
import io.ge.redis.core.json.ObjectFields.Part;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

import org.springframework.util.ObjectUtils;

/**
 * A place of a declared type, such as a field or the elements of a list. Remembers the
 * classes of values that came back from there, up to a limit.
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
	 * Returns whether values of this shape are known to come back. Visits only written
	 * values, which have no cycles.
	 * @param learn whether this shape is known from now on
	 */
	boolean visit(@Nullable Object value, boolean learn) {
		Class<?> type = (value != null) ? value.getClass() : Void.class;
		for (Seen candidate : this.seen) {
			if (candidate.type() == type && candidate.special() == isSpecial(value)) {
				return value == null || visitParts(candidate.parts(), value, learn);
			}
		}
		Seen learnt = learn ? learn(value, type) : null;
		return (learnt == null || value == null) ? learn : visitParts(learnt.parts(), value, true);
	}

	// Of two concurrent additions one may be lost, and is compared again
	private @Nullable Seen learn(@Nullable Object value, Class<?> type) {
		boolean plain = value == null || ObjectFields.isContainer(value);
		Fields found = (value == null || plain || value instanceof Enum || ObjectFields.isOfTheJdk(type)) ? NONE
				: this.fields.of(value, this.declared);
		if (this.seen.length == MOST || !found.typical() || !(plain || this.fields.isExact(type))) {
			return null;
		}
		Seen[] all = Arrays.copyOf(this.seen, this.seen.length + 1);
		Seen made = new Seen(type, isSpecial(value), found.bean() ? found.parts() : List.of());
		all[all.length - 1] = made;
		this.seen = all;
		return made;
	}

	private boolean visitParts(List<Part> parts, Object value, boolean learn) {
		if (!ObjectFields.isContainer(value)) {
			return visitFields(parts, value, learn);
		}
		if (ObjectFields.comparator(value) != null) {
			return learn;
		}
		return (!(value instanceof Map<?, ?> map) || visitAll(keys(), map.keySet(), learn))
				&& visitAll(content(), ObjectFields.content(value), learn);
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
		Object content = part.of(owner);
		if (part.written()) {
			// A primitive one has one shape
			return (learn || part.isWrittenAs(content, owner))
					&& (part.field().getType().isPrimitive() || part.place().visit(content, learn));
		}
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

	// Empty values, NaN, infinite numbers and numbers that fit a smaller type may come
	// back in another way
	// than others of the class
	private static boolean isSpecial(@Nullable Object value) {
		if (value instanceof Double || value instanceof Float) {
			return !Double.isFinite(((Number) value).doubleValue());
		}
		return (value instanceof Long number && number == number.intValue())
				|| (value instanceof BigInteger integer && integer.bitLength() < Long.SIZE)
				|| ObjectUtils.isEmpty(value);
	}

	/**
	 * A class that came back.
	 *
	 * @param special whether its special cases did
	 * @param parts the fields of an object
	 */
	private record Seen(Class<?> type, boolean special, List<Part> parts) {
	}

}
