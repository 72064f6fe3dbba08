/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.lock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Another process with locks. Ends with its standard input.
 */
final class LockChild {

	private LockChild() {
	}

	/**
	 * Counts in a file, or holds a lock until it is killed.
	 * @param arguments host, port, and either {@code hold} or the file and how often
	 * @throws IOException if the parent has gone
	 */
	public static void main(String[] arguments) throws IOException {
		String[] redis = { "spring.data.redis.host=" + arguments[0], "spring.data.redis.port=" + arguments[1] };
		try (LockApplication application = LockApplication.start(redis)) {
			if (arguments[2].equals("hold")) {
				application.locks().lock("orders", 42, LockOptions.defaults().leaseTime(Duration.ofSeconds(2)));
				say("held");
			}
			else {
				say("ready");
				int ignored = System.in.read();
				count(application, Path.of(arguments[2]), Integer.parseInt(arguments[3]));
				say("done");
			}
			while (System.in.read() >= 0) {
				// until the parent has gone
			}
		}
	}

	/**
	 * Adds to the number in a file, which loses updates unless one does it at a time, and
	 * notes the token.
	 */
	static void count(LockApplication application, Path file, int times) {
		LockOptions options = LockOptions.defaults().waitTime(Duration.ofSeconds(60));
		for (int i = 0; i < times; i++) {
			application.locks().<Void, RuntimeException>execute("orders", 42, options, (lock) -> {
				try {
					String[] before = Files.readString(file).split(" ");
					if (Long.parseLong(before[1]) >= lock.token()) {
						throw new IllegalStateException("The token " + lock.token() + " came after " + before[1]);
					}
					Files.writeString(file, (Integer.parseInt(before[0]) + 1) + " " + lock.token());
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
				return null;
			});
		}
	}

	private static void say(String word) {
		System.out.println(word);
		System.out.flush();
	}

}
