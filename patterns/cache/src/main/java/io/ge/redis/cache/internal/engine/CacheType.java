// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;

/**
 * Values of one type as bytes: a {@link CacheHeader header}, then JSON, compressed where
 * it is large. What was written by another release, or before a field was added, does not
 * begin in the same way and is not read.
 */
public class CacheType {

	private final JavaType type;

	private final ObjectReader reader;

	private final ObjectWriter writer;

	private final int shape;

	private final Rules rules;

	private final ByteBuffer readable;

	CacheType(JavaType type, ObjectReader reader, ObjectWriter writer, int shape, Rules rules) {
		this.type = type;
		this.reader = reader;
		this.writer = writer;
		this.shape = shape;
		this.rules = rules;
		this.readable = ByteBuffer.wrap(CacheHeader.readable(shape));
	}

	public JavaType javaType() {
		return this.type;
	}

	/**
	 * Returns how values begin that can be read as this type, not to be changed.
	 */
	public ByteBuffer readable() {
		return this.readable;
	}

	/**
	 * Returns the type as which a value is written.
	 * @return the type, or {@code null} if the value is none of it
	 */
	public @Nullable CacheType of(Object value) {
		return this.type.getRawClass().isInstance(value) ? this : null;
	}

	/**
	 * Writes a value without anything about it.
	 * @throws JacksonException if it is no JSON
	 */
	public byte[] write(@Nullable Object value) {
		return write(value, CacheHeader.NONE);
	}

	/**
	 * Writes a value.
	 * @throws LazyValues.LazyValueException if it is one of Hibernate's
	 * @throws JacksonException if it is no JSON
	 */
	public byte[] write(@Nullable Object value, CacheHeader header) {
		if (value == null) {
			return header.entry(this.shape, null, false);
		}
		this.rules.lazy().check(value);
		byte[] json = this.writer.writeValueAsBytes(value);
		if (json.length <= this.rules.compressAbove().getAsLong()) {
			return header.entry(this.shape, json, false);
		}
		byte[] deflated = deflate(json);
		boolean smaller = deflated.length < json.length;
		return header.entry(this.shape, smaller ? deflated : json, smaller);
	}

	/**
	 * Reads a value.
	 * @return the value, or {@code null} if the bytes are none of this type
	 */
	public @Nullable Content read(byte[] bytes) {
		CacheHeader header = isReadable(bytes) ? CacheHeader.read(bytes) : null;
		if (header == null) {
			return null;
		}
		if (CacheHeader.isAbsence(bytes)) {
			return new Content(null, header);
		}
		try {
			Object value = json(bytes, header.length());
			return (value != null) ? new Content(value, header) : null;
		}
		catch (RuntimeException | IOException ex) {
			// Not only Jackson's: an application's own deserializer throws what it likes
			return null;
		}
	}

	/**
	 * Reads a value from an entry that this instance has made.
	 * @throws Exception if it cannot be read
	 */
	public @Nullable Object copy(byte[] entry) throws Exception {
		CacheHeader header = Objects.requireNonNull(CacheHeader.read(entry));
		return json(entry, header.length());
	}

	private boolean isReadable(byte[] bytes) {
		return bytes.length >= CacheHeader.READABLE
				&& Arrays.equals(bytes, 0, CacheHeader.READABLE, this.readable.array(), 0, CacheHeader.READABLE);
	}

	private @Nullable Object json(byte[] bytes, int from) throws IOException {
		if (!CacheHeader.isCompressed(bytes)) {
			return this.reader.readValue(bytes, from, bytes.length - from);
		}
		try (InputStream content = new InflaterInputStream(
				new ByteArrayInputStream(bytes, from, bytes.length - from))) {
			return this.reader.readValue(content);
		}
	}

	// Fast rather than thorough: a caller waits for it
	private static byte[] deflate(byte[] content) {
		Deflater deflater = new Deflater(Deflater.BEST_SPEED);
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(content.length / 4);
		try (DeflaterOutputStream output = new DeflaterOutputStream(bytes, deflater)) {
			output.write(content);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			deflater.end();
		}
		return bytes.toByteArray();
	}

	/**
	 * The content of an entry.
	 *
	 * @param value the value, or {@code null} for absence
	 */
	public record Content(@Nullable Object value, CacheHeader header) {
	}

	/**
	 * Rules for the values of all types.
	 *
	 * @param compressAbove the length of JSON in bytes above which it is compressed
	 */
	record Rules(LongSupplier compressAbove, LazyValues lazy) {
	}

}
