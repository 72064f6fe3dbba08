// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * Signals to processes of a test.
 */
public final class Signals {

	private Signals() {
	}

	/**
	 * Freezes a process (SIGSTOP) and returns once none of its threads runs any more,
	 * which is a moment after the signal was taken.
	 * @param pid the process
	 */
	public static void pause(long pid) {
		send("STOP", pid);
		Path threads = Path.of("/proc", "" + pid, "task");
		if (Files.exists(threads)) {
			Awaitility.await("all threads of " + pid + " to stand").until(() -> stand(threads));
		}
	}

	/**
	 * Lets a frozen process go on (SIGCONT).
	 * @param pid the process
	 */
	public static void resume(long pid) {
		send("CONT", pid);
	}

	private static boolean stand(Path threads) throws IOException {
		List<Path> all;
		try (Stream<Path> directories = Files.list(threads)) {
			all = directories.toList();
		}
		for (Path thread : all) {
			String stat = Files.readString(thread.resolve("stat"));
			// The state follows the name, which may hold spaces and parentheses
			if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
				return false;
			}
		}
		return true;
	}

	private static void send(String signal, long pid) {
		try {
			Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid).start();
			if (kill.waitFor() != 0) {
				throw new IllegalStateException("The process " + pid + " took no SIG" + signal);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

}
