// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

import io.ge.redis.core.json.ObjectFields.Fields;
import io.ge.redis.core.json.ObjectFields.Part;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ClassUtils;

/**
 * Compares one value with the one read back, by the rules of {@link RoundTrips}.
 */
final class Comparison {

	private static final String PLACE = ", in '";

	private final ObjectFields fields;

	/** The objects around the current one, which end a cycle. */
	private final Set<Object> within = Collections.newSetFromMap(new IdentityHashMap<>());

	Comparison(ObjectFields fields) {
		this.fields = fields;
	}

	/**
	 * Returns the first change, with class and field.
	 */
	@Nullable String change(@Nullable Object before, @Nullable Object after) {
		if (before == after) {
			return null;
		}
		if (before == null || after == null) {
			return changed(before, after);
		}
		if (!this.within.add(before)) {
			return null;
		}
		try {
			return difference(before, after);
		}
		finally {
			this.within.remove(before);
		}
	}

	private static String changed(@Nullable Object before, @Nullable Object after) {
		String was = (before != null) ? "a " + before.getClass().getName() : "null";
		if (before != null && after != null && before.getClass() == after.getClass()) {
			return was + " is read back as another one";
		}
		return was + " is read back as " + ((after != null) ? "a " + after.getClass().getName() : "null");
	}

	private @Nullable String difference(Object before, Object after) {
		if (before instanceof Collection<?> was) {
			return isSameKind(was, after) ? collections(was, (Collection<?>) after) : changed(before, after);
		}
		if (before instanceof Map<?, ?> was && after instanceof Map<?, ?> is) {
			return maps(was, is);
		}
		if (before instanceof Optional<?> was && after instanceof Optional<?> is) {
			return change(was.orElse(null), is.orElse(null));
		}
		if (before instanceof Object[] was && after instanceof Object[] is) {
			return elements(Arrays.asList(was), Arrays.asList(is));
		}
		boolean value = before instanceof Enum || before instanceof JsonNode
				|| ObjectFields.isOfTheJdk(before.getClass());
		if (value) {
			return isEqual(before, after) ? null : changed(before, after);
		}
		return objects(before, after);
	}

	private static boolean isSameKind(Collection<?> before, Object after) {
		return after instanceof Collection && (!(before instanceof List) || after instanceof List)
				&& before instanceof Set == after instanceof Set;
	}

	private static boolean isEqual(Object before, Object after) {
		if (before instanceof Date was && after instanceof Date is) {
			return instant(was).equals(instant(is));
		}
		Class<?> type = before.getClass();
		boolean text = before instanceof JsonNode
				|| (before instanceof StringBuilder || type.getName().startsWith("java.util.concurrent.atomic."))
						&& type == after.getClass();
		return text ? before.toString().equals(after.toString()) : Objects.deepEquals(before, after);
	}

	// With the nanoseconds of a timestamp
	private static Instant instant(Date date) {
		try {
			return date.toInstant();
		}
		catch (UnsupportedOperationException ex) {
			return Instant.ofEpochMilli(date.getTime());
		}
	}

	private @Nullable String collections(Collection<?> before, Collection<?> after) {
		boolean comparator = keepsComparator(before, after);
		String change = comparator ? elements(before, after) : changed(before, after);
		boolean ordered = !(before instanceof Set) || before instanceof LinkedHashSet || before instanceof SortedSet;
		return (change == null || ordered) ? change : maps(byElement(before), byElement(after));
	}

	private static Map<?, ?> byElement(Collection<?> elements) {
		Map<Object, Object> map = new HashMap<>();
		elements.forEach((element) -> map.put(element, element));
		return map;
	}

	private @Nullable String elements(Collection<?> before, Collection<?> after) {
		String change = (before.size() == after.size()) ? null : changed(before, after);
		Iterator<?> is = after.iterator();
		for (Iterator<?> was = before.iterator(); change == null && was.hasNext();) {
			change = change(was.next(), is.next());
		}
		return change;
	}

	private @Nullable String maps(Map<?, ?> before, Map<?, ?> after) {
		boolean ordered = before instanceof LinkedHashMap || before instanceof SortedMap;
		if (!ordered && before.keySet().equals(after.keySet())) {
			List<?> keys = new ArrayList<>(before.keySet());
			return elements(keys.stream().map(before::get).toList(), keys.stream().map(after::get).toList());
		}
		boolean comparator = keepsComparator(before, after);
		String change = comparator ? elements(before.keySet(), after.keySet()) : changed(before, after);
		return (change != null) ? change : elements(before.values(), after.values());
	}

	private static boolean keepsComparator(Object before, Object after) {
		Comparator<?> comparator = ObjectFields.comparator(before);
		return comparator == null || comparator.equals(ObjectFields.comparator(after));
	}

	private @Nullable String objects(Object proxy, Object after) {
		Object target = AopProxyUtils.getSingletonTarget(proxy);
		Object before = (target != null) ? target : proxy;
		Class<?> type = ClassUtils.getUserClass(before);
		if (type != ClassUtils.getUserClass(after)) {
			return changed(before, after);
		}
		Fields found = this.fields.of(before);
		if (!found.bean() && (!found.readable() || ObjectFields.definesEquals(type))) {
			return before.equals(after) ? null : changed(before, after);
		}
		for (Part part : found.parts()) {
			String change = change(part, part.of(before), part.of(after));
			if (change != null) {
				return change.contains(PLACE) ? change
						: change + PLACE + part.field().getName() + "' of " + type.getName();
			}
		}
		return null;
	}

	private @Nullable String change(Part part, @Nullable Object before, @Nullable Object after) {
		boolean counts = part.written() || this.fields.counts(part, before) || this.fields.counts(part, after);
		return counts ? change(before, after) : null;
	}

}
