// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.core.json.RoundTrips;
import io.ge.redis.core.json.StoredJson;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.function.SingletonSupplier;

/**
 * Knows how values of each type are written and read, as {@link StoredJson}.
 */
public final class CacheCodec {

	private final Supplier<JsonMapper> mapper;

	private final CacheType.Rules rules;

	private final RoundTrips roundTrips;

	private final Map<Type, CacheType> types = new ConcurrentHashMap<>();

	private final Map<Integer, CacheType> byShape = new ConcurrentHashMap<>();

	private final Supplier<CacheType> open;

	/**
	 * Creates a codec.
	 * @param mapper the application's mapper
	 * @param compressAbove the length of JSON in bytes above which it is compressed
	 * @param verified the share of values that are compared after the first of a type
	 */
	public CacheCodec(Supplier<JsonMapper> mapper, LongSupplier compressAbove, DoubleSupplier verified) {
		LazyValues lazy = new LazyValues(getClass().getClassLoader());
		this.mapper = SingletonSupplier.of(() -> lazy.refusedBy(StoredJson.mapper(mapper.get())));
		this.rules = new CacheType.Rules(compressAbove, lazy);
		this.roundTrips = new RoundTrips(this.mapper, verified);
		this.open = SingletonSupplier.of(() -> new OpenCacheType(this, this.mapper.get(), this.rules));
	}

	/**
	 * Returns the type of a cache whose values have no declared type.
	 */
	public CacheType open() {
		return this.open.get();
	}

	/**
	 * Returns the type with a shape, of those that were asked for in this application.
	 */
	@Nullable CacheType known(int shape) {
		return this.byShape.get(shape);
	}

	/**
	 * Returns a type, the same for all ways to name it.
	 */
	public CacheType type(Type type) {
		CacheType known = this.types.get(type);
		if (known == null) {
			JavaType constructed = this.mapper.get().constructType(type);
			CacheType made = newType(constructed);
			CacheType same = this.types.putIfAbsent(constructed, made);
			known = (same != null) ? same : made;
			this.types.put(type, known);
		}
		return known;
	}

	/**
	 * Returns the type that a property names.
	 * @param name the full name of a class, with the arguments of a generic one
	 * @param problem makes the exception for an unusable type, from problem and remedy
	 */
	public CacheType named(String name, BiFunction<String, String, GuardConfigurationException> problem) {
		JavaType named;
		try {
			named = this.mapper.get().getTypeFactory().constructFromCanonical(name.strip());
		}
		catch (IllegalArgumentException ex) {
			throw problem.apply("'" + name + "' is no type: " + ex.getMessage() + ".",
					"Write the full name of a class, such as com.acme.Product, or of a generic one with its arguments,"
							+ " such as java.util.List<com.acme.Product>.");
		}
		CacheType type = type(named);
		String obstacle = obstacle(type);
		if (obstacle != null) {
			throw problem.apply("values of the type " + named.toCanonical() + " cannot be read back: " + obstacle + ".",
					"Name a type that Jackson can read, such as a record, or a collection of a concrete type.");
		}
		return type;
	}

	private CacheType newType(JavaType type) {
		JsonMapper json = this.mapper.get();
		int shape = TypeShape.of(type);
		CacheType made = new CacheType(type, json.readerFor(type), json.writerFor(type), shape, this.rules);
		this.byShape.putIfAbsent(shape, made);
		return made;
	}

	/**
	 * Returns why values of a type cannot be read back, as far as the type shows it.
	 * @return the reason, or {@code null}
	 */
	public @Nullable String obstacle(CacheType type) {
		return this.roundTrips.obstacle(type.javaType());
	}

	/**
	 * Returns why a value must not be stored, though it can be written.
	 * @param copy reads the value back from its stored form
	 * @return the reason, or {@code null}
	 */
	public @Nullable String loss(CacheType type, @Nullable Object value, Callable<?> copy) {
		return this.roundTrips.loss(type.javaType(), value, copy);
	}

}
