/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

import redis.embedded.RedisExecProvider;

/**
 * The {@code redis-server} that {@code org.signal:embedded-redis} carries, unpacked once
 * per JVM.
 */
final class RedisBinary {

	private static final Path PATH = unpack();

	private RedisBinary() {
	}

	static Path path() {
		return PATH;
	}

	private static Path unpack() {
		try {
			Path unpacked = RedisExecProvider.defaultProvider().get().toPath();
			return Files.copy(unpacked, Reaper.sharedDirectory().resolve("redis-server"),
					StandardCopyOption.COPY_ATTRIBUTES);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
