/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.idempotency;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ResolvableType;
import org.springframework.util.function.SingletonSupplier;

/**
 * Stores a value as JSON by the declared type: no class names, no polymorphic typing but
 * what the types themselves declare.
 * <p>
 * JSON is written from what a class shows and read into what it accepts, and the two need
 * not agree. So the first result of each class is read back and compared; if a repetition
 * would get something else than the first call, it gets nothing. Containers are compared
 * each time, since their class says nothing about what they hold.
 */
final class JsonResultCodec implements ResultCodec {

	private static final Log logger = LogFactory.getLog(JsonResultCodec.class);

	private static final byte[] NOTHING = {};

	private final String name;

	private final Supplier<JsonMapper> mapper;

	private final Supplier<ObjectWriter> writer;

	private final Supplier<ObjectReader> reader;

	private final boolean isVoid;

	private final long maxBytes;

	private final Set<Class<?>> faithful = ConcurrentHashMap.newKeySet();

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	JsonResultCodec(String name, Supplier<JsonMapper> mapper, ResolvableType type, long maxBytes) {
		this.name = name;
		this.mapper = mapper;
		this.writer = SingletonSupplier.of(() -> mapper.get().writerFor(javaType(type)));
		this.reader = SingletonSupplier.of(() -> mapper.get().readerFor(javaType(type)));
		Class<?> raw = type.resolve(Object.class);
		this.isVoid = raw == void.class || raw == Void.class;
		this.maxBytes = maxBytes;
	}

	private JavaType javaType(ResolvableType type) {
		return this.mapper.get().constructType(type.getType());
	}

	/**
	 * Derives the mapper for results from the application's.
	 */
	static JsonMapper mapperFrom(JsonMapper application) {
		return application.rebuild()
			.deactivateDefaultTyping()
			.disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
			.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
			.build();
	}

	@Override
	public Recording record(@Nullable Object result) {
		if (this.isVoid) {
			return new Recording.Stored(NOTHING);
		}
		try {
			byte[] bytes = this.writer.get().writeValueAsBytes(result);
			if (bytes.length > this.maxBytes) {
				return lost("is larger than ge.redis.idempotency.max-result-size");
			}
			if (result != null && !isFaithful(result, bytes)) {
				return lost("of " + result.getClass().getName() + " reads back as something else");
			}
			return new Recording.Stored(bytes);
		}
		catch (JacksonException ex) {
			return lost("cannot be written and read as JSON: " + ex.getOriginalMessage());
		}
	}

	private boolean isFaithful(Object result, byte[] bytes) {
		if (this.faithful.contains(result.getClass())) {
			return true;
		}
		JsonMapper json = this.mapper.get();
		Object copy = replay(bytes);
		// A message converter treats text unlike everything else that is text in JSON
		boolean equal = (copy instanceof String) == (result instanceof String)
				&& json.readTree(json.writeValueAsBytes(result)).equals(json.readTree(json.writeValueAsBytes(copy)));
		if (equal && !isContainer(result)) {
			this.faithful.add(result.getClass());
		}
		return equal;
	}

	private static boolean isContainer(Object result) {
		return result instanceof Iterable || result instanceof Map || result instanceof Optional
				|| result.getClass().isArray();
	}

	private Recording lost(String why) {
		if (this.warned.add(why)) {
			logger.warn("The result of @Idempotent '" + this.name + "' " + why
					+ ": it is not kept, and repetitions of the call are refused");
		}
		return new Recording.Lost();
	}

	@Override
	public @Nullable Object replay(byte[] bytes) {
		return this.isVoid ? null : this.reader.get().readValue(bytes);
	}

}
