// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.TypeFactory;

import org.springframework.util.ClassUtils;

/**
 * The type of a cache without a declared type, as a Spring {@code Cache} is if only
 * Spring's annotations use it.
 * <p>
 * A value is written by its own class, whose fingerprint is in the entry, and read by the
 * class of this application with that fingerprint: one that annotations, properties or
 * code have named, or of which this instance has stored a value. No class name is ever
 * read from Redis. An entry of an unknown class is a miss. Collections, maps and {@code
 * Optional} have one class of content.
 */
final class OpenCacheType extends CacheType {

	private static final List<Class<?>> KNOWN = List.of(String.class, Boolean.class, Integer.class, Long.class,
			Double.class);

	private static final Set<Class<?>> USUAL = Set.of(ArrayList.class, HashSet.class, HashMap.class,
			LinkedHashMap.class);

	private static final ByteBuffer READABLE = ByteBuffer.wrap(new byte[] { CacheHeader.FORMAT });

	private final CacheCodec codec;

	private final TypeFactory types;

	OpenCacheType(CacheCodec codec, JsonMapper mapper, Rules rules) {
		super(mapper.constructType(Object.class), mapper.readerFor(Object.class), mapper.writerFor(Object.class), 0,
				rules);
		this.codec = codec;
		this.types = mapper.getTypeFactory();
		KNOWN.forEach(codec::type);
	}

	@Override
	public ByteBuffer readable() {
		return READABLE;
	}

	@Override
	public @Nullable CacheType of(Object value) {
		JavaType type = typeOf(value);
		return (type != null) ? this.codec.type(type) : null;
	}

	@Override
	public @Nullable Content read(byte[] bytes) {
		CacheHeader header = (bytes.length > 0 && bytes[0] == CacheHeader.FORMAT) ? CacheHeader.read(bytes) : null;
		if (header == null) {
			return null;
		}
		if (CacheHeader.isAbsence(bytes)) {
			return new Content(null, header);
		}
		CacheType known = this.codec.known(CacheHeader.shape(bytes));
		return (known != null) ? known.read(bytes) : null;
	}

	private @Nullable JavaType typeOf(Object value) {
		if (value instanceof Enum<?> constant) {
			return this.types.constructType(constant.getDeclaringClass());
		}
		Class<?> type = value.getClass();
		int parameters = type.getTypeParameters().length;
		if (value instanceof Optional<?> optional) {
			JavaType content = common(optional.stream().toList());
			return (content != null) ? this.types.constructParametricType(Optional.class, content) : null;
		}
		if (parameters == 1 && (value instanceof List<?> || value instanceof Set<?>)) {
			JavaType content = common((Collection<?>) value);
			Class<?> readAs = readAs(type, (value instanceof List<?>) ? List.class : Set.class);
			return (content != null) ? this.types.constructParametricType(readAs, content) : null;
		}
		if (parameters == 2 && value instanceof Map<?, ?> map) {
			JavaType key = common(map.keySet());
			JavaType content = common(map.values());
			return (key != null && content != null)
					? this.types.constructParametricType(readAs(type, Map.class), key, content) : null;
		}
		return (parameters == 0 && type != Object.class) ? this.types.constructType(type) : null;
	}

	// What cannot be made, such as an unmodifiable list, and what Jackson makes anyway
	// are
	// written by interface, so that both are one type
	private static Class<?> readAs(Class<?> type, Class<?> contract) {
		boolean made = Modifier.isPublic(type.getModifiers()) && ClassUtils.hasConstructor(type);
		return (made && !USUAL.contains(type)) ? type : contract;
	}

	private @Nullable JavaType common(Collection<?> values) {
		JavaType common = null;
		for (Object value : values) {
			JavaType type = (value != null) ? typeOf(value) : common;
			if (value != null && (type == null || (common != null && !common.equals(type)))) {
				return null;
			}
			common = type;
		}
		return (common != null) ? common : this.types.constructType(String.class);
	}

}
