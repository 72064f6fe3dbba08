/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Knows how values of each type are written and read, by the application's mapper.
 */
final class CacheCodec {

	private final Supplier<JsonMapper> mapper;

	private final Map<Type, CacheType> types = new ConcurrentHashMap<>();

	CacheCodec(Supplier<JsonMapper> mapper) {
		this.mapper = mapper;
	}

	CacheType type(Type type) {
		CacheType known = this.types.get(type);
		if (known == null) {
			known = newType(this.mapper.get().constructType(type));
			this.types.put(type, known);
		}
		return known;
	}

	private CacheType newType(JavaType type) {
		JsonMapper json = this.mapper.get();
		return new CacheType(type, json.readerFor(type), json.writerFor(type), TypeShape.of(type));
	}

	/**
	 * Returns why values of a type cannot be read back, as far as that shows without a
	 * value.
	 * @return the reason, or {@code null}
	 */
	@Nullable String obstacle(CacheType type) {
		JavaType java = type.javaType();
		if (java.isJavaLangObject()) {
			return "it says nothing about its content, which would be read back as maps and lists";
		}
		String probe = java.isCollectionLikeType() || java.isArrayType() ? "[]" : "{}";
		try {
			this.mapper.get().readerFor(java).readValue(probe);
			return null;
		}
		catch (InvalidDefinitionException ex) {
			return ex.getOriginalMessage();
		}
		catch (JacksonException ex) {
			// It can be read, from something else
			return null;
		}
	}

}
