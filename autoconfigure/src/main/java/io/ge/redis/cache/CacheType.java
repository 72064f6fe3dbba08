/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;

/**
 * How the values of one Java type look in Redis: one byte for the format, four for the
 * shape of the type, one for flags, then JSON without class names.
 * <p>
 * The first five bytes decide whether a value can be read at all: what another release of
 * this library or another version of the class has written is not even tried.
 */
final class CacheType {

	private static final byte FORMAT = 1;

	private static final int READABLE = 1 + Integer.BYTES;

	private static final int HEADER = READABLE + 1;

	private static final byte NULL = 1;

	private final JavaType type;

	private final ObjectReader reader;

	private final ObjectWriter writer;

	private final byte[] header;

	CacheType(JavaType type, ObjectReader reader, ObjectWriter writer, int shape) {
		this.type = type;
		this.reader = reader;
		this.writer = writer;
		this.header = ByteBuffer.allocate(HEADER).put(FORMAT).putInt(shape).put((byte) 0).array();
	}

	JavaType javaType() {
		return this.type;
	}

	/**
	 * Returns how values begin that can be read as this type.
	 */
	byte[] readable() {
		return Arrays.copyOf(this.header, READABLE);
	}

	/**
	 * Returns whether a value is one of this type.
	 */
	boolean accepts(Object value) {
		return this.type.getRawClass().isInstance(value);
	}

	/**
	 * Writes a value.
	 * @throws JacksonException if it is no JSON
	 */
	byte[] write(@Nullable Object value) {
		byte[] json = (value != null) ? this.writer.writeValueAsBytes(value) : new byte[0];
		byte[] bytes = Arrays.copyOf(this.header, HEADER + json.length);
		bytes[HEADER - 1] = (value != null) ? 0 : NULL;
		System.arraycopy(json, 0, bytes, HEADER, json.length);
		return bytes;
	}

	/**
	 * Reads a value.
	 * @return the value, or {@code null} if the bytes are none of this type
	 */
	@Nullable Content read(byte[] bytes) {
		if (bytes.length < HEADER || !Arrays.equals(bytes, 0, READABLE, this.header, 0, READABLE)) {
			return null;
		}
		if (bytes[HEADER - 1] == NULL) {
			return new Content(null);
		}
		try {
			Object value = this.reader.readValue(bytes, HEADER, bytes.length - HEADER);
			return (value != null) ? new Content(value) : null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/**
	 * What an entry says.
	 *
	 * @param value the value, or {@code null} for absence
	 */
	record Content(@Nullable Object value) {
	}

}
