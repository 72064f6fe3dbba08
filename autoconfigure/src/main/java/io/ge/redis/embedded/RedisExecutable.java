/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import io.ge.redis.embedded.EmbeddedRedisStartException.Reason;
import redis.embedded.RedisExecProvider;

/**
 * The binary that {@code org.signal:embedded-redis} carries for this platform. Only the
 * binary is taken from there: the library's own server writes to the console and stays
 * registered with the JVM after it has been stopped.
 */
final class RedisExecutable {

	private RedisExecutable() {
	}

	/**
	 * Puts the binary into the directory, with which it will be removed.
	 */
	static Path unpackInto(Path directory) {
		try {
			Path unpacked = unpack();
			Path executable = Files.copy(unpacked, directory.resolve("redis-server"),
					StandardCopyOption.COPY_ATTRIBUTES);
			// A relative path is a file that the library has found where the JVM was
			// started
			if (unpacked.isAbsolute()) {
				Files.delete(unpacked);
				Files.delete(unpacked.getParent());
			}
			return verify(executable);
		}
		catch (IOException ex) {
			throw new EmbeddedRedisStartException(Reason.NOT_EXECUTABLE,
					"The embedded Redis cannot be unpacked into " + directory, ex);
		}
	}

	private static Path unpack() throws IOException {
		try {
			return RedisExecProvider.defaultProvider().get().toPath();
		}
		catch (RuntimeException ex) {
			throw new EmbeddedRedisStartException(Reason.UNSUPPORTED_PLATFORM,
					"There is no embedded Redis for this platform: " + ex.getMessage(), ex);
		}
	}

	private static Path verify(Path executable) {
		if (Files.isExecutable(executable)) {
			return executable;
		}
		throw new EmbeddedRedisStartException(Reason.NOT_EXECUTABLE,
				"The embedded Redis cannot be executed as " + executable, null);
	}

}
