// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.json;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Finds values that would come back from JSON changed. A declared type is checked at
 * startup, as far as it shows that; a value before it is stored.
 * <p>
 * A value comes back if the value read equals it. Objects are compared field by field,
 * without {@code transient} fields; fields that Jackson is configured to ignore count.
 * Fields without accessor count if they hold data. Containers are compared by kind,
 * content, comparator and order, where they have one; numbers by class and value; other
 * values by {@code equals}.
 * <p>
 * The first value of each shape is compared: the declared type and the class of each
 * object in it. Nulls, empty values and numbers that fit a smaller type are shapes of
 * their own. Each value is compared if some of it is written by a serializer or a format
 * of the application, or not at all. A shape that has failed is compared again.
 */
public final class RoundTrips {

	private static final String REMEDY = ". Make it a type that Jackson writes and reads as a whole, such as a record"
			+ " of concrete types, or make a field that may be lost transient";

	private final Supplier<JsonMapper> mapper;

	private final Supplier<Double> share;

	private final Supplier<ObjectFields> fields;

	private final Map<JavaType, Place> places = new ConcurrentHashMap<>();

	/**
	 * Creates the checks of one pattern.
	 * @param mapper writes and reads the values
	 * @param share the share of further values that are compared, from 0 to 1, asked for
	 * once
	 */
	public RoundTrips(Supplier<JsonMapper> mapper, DoubleSupplier share) {
		this.mapper = mapper;
		this.share = SingletonSupplier.of(share::getAsDouble);
		this.fields = SingletonSupplier.of(() -> new ObjectFields(mapper.get()));
	}

	/**
	 * Returns why values of a type cannot be read back, as far as the type shows it.
	 */
	public @Nullable String obstacle(JavaType type) {
		return new RoundTrip(this.mapper.get(), this.fields.get()).obstacle(type);
	}

	/**
	 * Returns why a value must not be stored. Most calls only look up classes.
	 * @param copy reads the value from the JSON to store
	 * @return the reason, which names class, field and remedy, but no value, or
	 * {@code null} if the value comes back
	 */
	public @Nullable String loss(JavaType type, @Nullable Object value, Callable<?> copy) {
		if (value == null) {
			return null;
		}
		Place place = this.places.get(type);
		if (place == null) {
			place = new Place(type, this.fields.get());
			this.places.put(type, place);
		}
		try {
			if (place.visit(value, false) && !isSampled()) {
				return null;
			}
			String change = new Comparison(this.fields.get()).change(value, copy.call());
			if (change != null) {
				return change + REMEDY;
			}
			place.visit(value, true);
			return null;
		}
		catch (Exception | StackOverflowError ex) {
			return "a " + value.getClass().getName() + " cannot be read back: " + reason(ex) + REMEDY;
		}
	}

	private boolean isSampled() {
		double sampled = this.share.get();
		return sampled > 0 && ThreadLocalRandom.current().nextDouble() < sampled;
	}

	/**
	 * Returns why JSON cannot be written or read, without any of the value.
	 */
	public static String reason(Throwable failure) {
		// The message of any other may quote the value
		return (failure instanceof InvalidDefinitionException definition) ? definition.getOriginalMessage()
				: NestedExceptionUtils.getMostSpecificCause(failure).getClass().getName();
	}

}
