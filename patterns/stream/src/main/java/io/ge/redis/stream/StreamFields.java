/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.stream;

import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The fields of an entry as bytes, of which a handler decodes what it needs.
 */
final class StreamFields extends AbstractMap<String, String> {

	private final byte[][] parts;

	/**
	 * Creates the fields of an entry.
	 * @param parts names and values in turn
	 */
	StreamFields(byte[][] parts) {
		this.parts = parts;
	}

	/**
	 * Returns the bytes of all names and values.
	 */
	long length() {
		long length = 0;
		for (byte[] part : this.parts) {
			length += part.length;
		}
		return length;
	}

	byte @Nullable [] bytes(String name) {
		byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
		for (int i = 0; i + 1 < this.parts.length; i += 2) {
			if (Arrays.equals(this.parts[i], wanted)) {
				return this.parts[i + 1];
			}
		}
		return null;
	}

	@Override
	public @Nullable String get(Object name) {
		byte[] value = bytes((String) name);
		return (value != null) ? new String(value, StandardCharsets.UTF_8) : null;
	}

	@Override
	public Set<Map.Entry<String, String>> entrySet() {
		Map<String, String> fields = new LinkedHashMap<>();
		for (int i = 0; i + 1 < this.parts.length; i += 2) {
			fields.put(new String(this.parts[i], StandardCharsets.UTF_8),
					new String(this.parts[i + 1], StandardCharsets.UTF_8));
		}
		return fields.entrySet();
	}

}
