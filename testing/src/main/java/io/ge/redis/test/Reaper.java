// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Ends every server and every other process that tests have started in this JVM and
 * removes their files when the JVM is gone, however it ended: a shell waits on a pipe
 * whose other end only this JVM holds, so it also wakes up after a {@code kill -9}, when
 * no shutdown hook runs.
 */
public final class Reaper {

	/**
	 * The file in a directory of this class that names a process to end.
	 */
	public static final String PID_FILE = "pid";

	private static final String SCRIPT = """
			trap '' INT TERM HUP
			cat >/dev/null
			for file in "$0"/*/pid; do
				test -f "$file" && kill -9 "$(cat "$file")"
			done
			rm -rf "$0"
			""";

	private static final Path DIRECTORY = createDirectory();

	/**
	 * Held, since a collected process would close the pipe before the JVM ends.
	 */
	private static final Process PROCESS = start();

	private Reaper() {
	}

	/**
	 * A new directory for one process, whose id stands in {@value #PID_FILE} as long as
	 * it runs.
	 * @return the directory, removed with the JVM
	 * @throws IOException if it cannot be created
	 */
	public static Path newDirectory() throws IOException {
		if (!PROCESS.isAlive()) {
			throw new IllegalStateException("Nobody would remove the servers of this JVM");
		}
		return Files.createTempDirectory(DIRECTORY, "node");
	}

	/**
	 * Where things stand that all servers of this JVM use.
	 */
	static Path sharedDirectory() {
		return DIRECTORY;
	}

	private static Path createDirectory() {
		try {
			return Files.createTempDirectory("ge-redis-test");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Process start() {
		try {
			return new ProcessBuilder("sh", "-c", SCRIPT, DIRECTORY.toString())
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
