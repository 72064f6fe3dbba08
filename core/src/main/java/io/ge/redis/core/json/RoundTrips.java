/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.json;

import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Finds values that would come back from JSON as something else. A declared type is
 * checked at startup, and the first value of each class is written and read before it is
 * stored.
 * <p>
 * A value and what is read back are compared by all that Jackson writes of them. Private
 * fields count as well if they hold simple data: text, numbers, times, enum constants, or
 * collections of those. Ignored and {@code transient} fields do not count, neither do the
 * order of a collection, time zones, and what differs each time it is written. A value
 * that cannot be compared is taken as it is.
 * <p>
 * Of a collection the class of its first element is remembered. A class that has failed
 * is compared again.
 */
public final class RoundTrips {

	private static final String REMEDY = ". Make it a type that Jackson writes and reads as a whole, such as a record,"
			+ " or mark what may be lost with @JsonIgnore";

	private final Supplier<JsonMapper> mapper;

	private final Supplier<Double> share;

	private final Supplier<JsonMapper> comparing;

	private final Supplier<JsonMapper> open;

	private final Set<Seen> faithful = ConcurrentHashMap.newKeySet();

	/**
	 * Creates the checks of one pattern.
	 * @param share the share of further values that are compared, from 0 to 1, asked for
	 * once
	 */
	public RoundTrips(Supplier<JsonMapper> mapper, DoubleSupplier share) {
		this.mapper = mapper;
		this.share = SingletonSupplier.of(share::getAsDouble);
		this.comparing = SingletonSupplier
			.of(() -> mapper.get().rebuild().disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE).build());
		this.open = SingletonSupplier
			.of(() -> this.comparing.get().rebuild().changeDefaultVisibility(DataFieldVisibility::new).build());
	}

	/**
	 * Returns why values of a type cannot be read back, as far as the type shows it.
	 */
	public @Nullable String obstacle(JavaType type) {
		return new RoundTrip(this.mapper.get()).obstacle(type);
	}

	/**
	 * Returns why a value must not be stored. Most calls look up its class and no more.
	 * @return the reason, which names the class and the remedy, or {@code null} if the
	 * value comes back or was not compared
	 */
	public @Nullable String loss(JavaType type, @Nullable Object value) {
		Class<?> kind = kind(value);
		Seen seen = (kind != null) ? new Seen(type, kind) : null;
		boolean known = seen != null && this.faithful.contains(seen);
		if (value == null || (known && !isSampled())) {
			return null;
		}
		String change = change(type, value);
		if (change != null) {
			return "a " + ((kind != null) ? kind : value.getClass()).getName() + " " + change + REMEDY;
		}
		if (seen != null) {
			this.faithful.add(seen);
		}
		return null;
	}

	private boolean isSampled() {
		double sampled = this.share.get();
		return sampled > 0 && ThreadLocalRandom.current().nextDouble() < sampled;
	}

	// The class of a container says nothing about what it holds
	private static @Nullable Class<?> kind(@Nullable Object value) {
		Iterator<?> content = null;
		if (value instanceof Collection<?> elements) {
			content = elements.iterator();
		}
		else if (value instanceof Map<?, ?> entries) {
			content = entries.values().iterator();
		}
		else if (value instanceof Object[] elements) {
			content = Arrays.asList(elements).iterator();
		}
		else if (value instanceof Optional<?> optional) {
			content = optional.stream().iterator();
		}
		if (content != null) {
			return content.hasNext() ? kind(content.next()) : null;
		}
		return (value != null) ? value.getClass() : null;
	}

	private @Nullable String change(JavaType type, Object value) {
		JsonMapper json = this.comparing.get();
		Object copy;
		try {
			copy = json.readerFor(type).readValue(json.writerFor(type).writeValueAsBytes(value));
		}
		catch (InvalidDefinitionException ex) {
			return "cannot be read back: " + ex.getOriginalMessage();
		}
		catch (RuntimeException ex) {
			// The message of any other may quote the value
			return "cannot be read back: " + ex.getClass().getName();
		}
		if (copy == null || (copy instanceof String) != (value instanceof String)) {
			return "is read back as " + ((copy != null) ? "a " + copy.getClass().getName() : "null");
		}
		for (Supplier<JsonMapper> view : List.of(this.open, this.comparing)) {
			try {
				return change(view.get(), value, copy);
			}
			catch (RuntimeException ex) {
				// Something in it cannot be looked at in this way
			}
		}
		return null;
	}

	private static @Nullable String change(JsonMapper json, Object value, Object copy) {
		Object before = content(json, value);
		Object after = content(json, copy);
		if (before.equals(after) || !before.equals(content(json, value))) {
			return null;
		}
		// The keys of a map may be secrets
		if (kind(value) != value.getClass() || !(before instanceof Map<?, ?> was) || !(after instanceof Map<?, ?> is)) {
			return "is read back as something else";
		}
		Set<Object> names = new TreeSet<>(was.keySet());
		names.addAll(is.keySet());
		names.removeIf((name) -> Objects.equals(was.get(name), is.get(name)));
		return "is read back with something else in " + names;
	}

	// A proxy is not read back as a proxy
	private static Object content(JsonMapper json, Object value) {
		Class<?> type = ClassUtils.getUserClass(value);
		return content(json.readTree(json.writerFor(type).writeValueAsBytes(value)));
	}

	private static Object content(JsonNode node) {
		if (node.isArray()) {
			return node.valueStream().map((element) -> content(element).toString()).sorted().toList();
		}
		if (!node.isObject()) {
			return node.toString();
		}
		Map<String, Object> properties = new TreeMap<>();
		node.forEachEntry((name, value) -> {
			if (!value.isNull()) {
				properties.put(name, content(value));
			}
		});
		return properties;
	}

	/**
	 * Values that were compared.
	 *
	 * @param kind the class of a value, of a container that of its first element
	 */
	private record Seen(JavaType type, Class<?> kind) {
	}

}
