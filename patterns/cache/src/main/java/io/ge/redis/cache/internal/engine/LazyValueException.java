// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.util.stream.Collectors;

import io.ge.redis.cache.UncacheableValueException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.DatabindException;

/**
 * A value holds something that would be loaded when it is read, and cannot be read back.
 */
public final class LazyValueException extends DatabindException {

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
