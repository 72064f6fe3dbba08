// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.ge.redis.cache.UncacheableValueException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;

import org.springframework.util.ClassUtils;

/**
 * Refuses proxies and collections of entities that Hibernate has not loaded, if Hibernate
 * is present. Writing one would load it, or fail, or store a hole. It is refused in any
 * state, so that it shows in the first test.
 */
public final class LazyValues {

	private static final List<String> NAMES = List.of("org.hibernate.proxy.HibernateProxy",
			"org.hibernate.collection.spi.PersistentCollection");

	private final List<Class<?>> types = new ArrayList<>();

	LazyValues(@Nullable ClassLoader classLoader) {
		for (String name : NAMES) {
			if (ClassUtils.isPresent(name, classLoader)) {
				this.types.add(ClassUtils.resolveClassName(name, classLoader));
			}
		}
	}

	/**
	 * Returns a mapper that does not write such values.
	 */
	JsonMapper refusedBy(JsonMapper mapper) {
		if (this.types.isEmpty()) {
			return mapper;
		}
		SimpleModule module = new SimpleModule("ge-redis-lazy-values");
		this.types.forEach((type) -> module.addSerializer(type, new Refusal()));
		return mapper.rebuild().addModule(module).build();
	}

	/**
	 * Refuses a value that is written by its declared type, like the whole value and the
	 * elements of its collections.
	 * @throws LazyValueException if it is such a value
	 */
	void check(@Nullable Object value) {
		if (this.types.isEmpty() || value == null) {
			return;
		}
		for (Class<?> type : this.types) {
			if (type.isInstance(value)) {
				throw new LazyValueException(value.getClass());
			}
		}
		if (value instanceof Collection<?> elements) {
			elements.forEach(this::check);
		}
		else if (value instanceof Map<?, ?> entries) {
			entries.values().forEach(this::check);
		}
		else if (value instanceof Object[] elements) {
			Arrays.asList(elements).forEach(this::check);
		}
	}

	private static final class Refusal extends ValueSerializer<Object> {

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			throw new LazyValueException(generator, value.getClass());
		}

		@Override
		public void serializeWithType(Object value, JsonGenerator generator, SerializationContext context,
				TypeSerializer typeSerializer) {
			throw new LazyValueException(generator, value.getClass());
		}

	}

	/**
	 * A value holds something that would be loaded when it is read, and cannot be read
	 * back.
	 */
	public static final class LazyValueException extends DatabindException {

		private final Class<?> type;

		LazyValueException(JsonGenerator generator, Class<?> type) {
			super(generator, "Lazy: " + type.getName());
			this.type = type;
		}

		LazyValueException(Class<?> type) {
			super("Lazy: " + type.getName());
			this.type = type;
		}

		/**
		 * Returns the exception for the application.
		 * @param cache the cache's name
		 */
		public UncacheableValueException in(String cache) {
			String place = getPath().stream()
				.map((step) -> (step.getPropertyName() != null) ? step.getPropertyName() : "[" + step.getIndex() + "]")
				.collect(Collectors.joining("."));
			return new UncacheableValueException("A value of cache '" + cache + "' cannot be cached: "
					+ (place.isEmpty() ? "it" : "its '" + place + "'") + " is a " + this.type.getName()
					+ ", which Hibernate would load on access and which cannot be read back. Cache a record that is"
					+ " made from the entity inside of the transaction instead.", this);
		}

	}

}
