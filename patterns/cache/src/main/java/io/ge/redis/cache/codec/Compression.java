/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.cache.codec;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Makes large JSON small, in the zlib format. Fast rather than thorough: a caller waits
 * for it.
 */
final class Compression {

	private Compression() {
	}

	static byte[] deflate(byte[] content) {
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
	 * Returns a stream of what was compressed, to be closed. It fails if the bytes are
	 * damaged.
	 */
	static InputStream inflate(byte[] bytes, int from) {
		return new InflaterInputStream(new ByteArrayInputStream(bytes, from, bytes.length - from));
	}

}
