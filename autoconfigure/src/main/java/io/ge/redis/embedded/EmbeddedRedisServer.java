// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;

import io.ge.redis.GuardConfigurationException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A {@code redis-server} process for development and tests.
 * <p>
 * It listens on the loopback interface only and keeps nothing on disk. The binary and the
 * log are in a temporary directory of its own, which it deletes at the end.
 * <p>
 * The process ends with {@link #close()}, and, where there is a POSIX shell, with the
 * JVM, however that ends. A shutdown hook would stop Redis while the application context
 * still closes, and would not run after a {@code kill -9}. See {@link ParentWatch}. On
 * Linux a Ctrl-C in the terminal does not reach the process, so that the application can
 * still release its locks.
 */
public final class EmbeddedRedisServer implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(EmbeddedRedisServer.class);

	private static final String HOST = "127.0.0.1";

	private static final int PORT_ATTEMPTS = 10;

	private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(5);

	private static final Path SETSID = Path.of("/usr/bin/setsid");

	private static final String CONFIGURATION_FILE = "redis.conf";

	private static final String LOG_FILE = "redis.log";

	private static final String USE_DIRECTORY = "Set the system property 'java.io.tmpdir' to a directory from which "
			+ "programs may be run. ";

	/**
	 * The words depend on the C library that the binary was built with.
	 */
	private static final Pattern PORT_IN_USE = Pattern.compile("Address (already )?in use");

	private final int port;

	private final Path directory;

	private final Process process;

	private final ParentWatch parentWatch;

	private EmbeddedRedisServer(int port, Path directory, Process process) {
		this.port = port;
		this.directory = directory;
		this.process = process;
		this.parentWatch = ParentWatch.over(process, directory);
	}

	/**
	 * Starts a server and waits until it accepts connections.
	 * @param port the port to listen on, 0 for a free one
	 * @throws GuardConfigurationException if there is no binary for this platform, it
	 * cannot be executed, the port is taken, or the server is not ready within 10 seconds
	 */
	public static EmbeddedRedisServer start(int port) {
		return (port != 0) ? start(() -> port, 1) : start(EmbeddedRedisServer::findFreePort, PORT_ATTEMPTS);
	}

	/**
	 * Tries again with the next port if one is taken: between the look for a free port
	 * and the start, another process may take it.
	 */
	static EmbeddedRedisServer start(IntSupplier ports, int attempts) {
		for (int attempt = 1;; attempt++) {
			int port = ports.getAsInt();
			EmbeddedRedisServer server = launch(port);
			if (server != null) {
				return server;
			}
			if (attempt >= attempts) {
				throw failure("port " + port + " is in use.",
						"Set 'ge.redis.embedded.port' to another port, or to 0 for a free one. ", null);
			}
		}
	}

	/**
	 * Returns {@code null} if the port is in use.
	 */
	private static @Nullable EmbeddedRedisServer launch(int port) {
		Path directory = createDirectory();
		try {
			Process process = execute(unpackInto(directory), port, directory);
			EmbeddedRedisServer server = new EmbeddedRedisServer(port, directory, process);
			return server.awaitReady() ? server : null;
		}
		catch (GuardConfigurationException ex) {
			delete(directory);
			throw ex;
		}
	}

	private static Process execute(Path executable, int port, Path directory) {
		List<String> command = new ArrayList<>();
		if (Files.isExecutable(SETSID)) {
			command.add(SETSID.toString());
		}
		command.add(executable.toString());
		command.add(CONFIGURATION_FILE);
		try {
			// All paths are relative to the working directory: none needs quoting
			Files.write(directory.resolve(CONFIGURATION_FILE),
					List.of("bind " + HOST, "port " + port, "logfile " + LOG_FILE, "save \"\"", "appendonly no"));
			return new ProcessBuilder(command).directory(directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(LOG_FILE).toFile()))
				.start();
		}
		catch (IOException ex) {
			throw failure("the server cannot be executed in " + directory + ".", USE_DIRECTORY, ex);
		}
	}

	/**
	 * Reads the log rather than connecting: another server may answer on the port.
	 * @return false if the port is in use
	 */
	private boolean awaitReady() {
		long start = System.nanoTime();
		while (!readLog().contains("Ready to accept connections")) {
			boolean ended = waitFor(POLL_INTERVAL);
			if (ended || System.nanoTime() - start > START_TIMEOUT.toNanos()) {
				String log = readLog();
				close();
				if (PORT_IN_USE.matcher(log).find()) {
					return false;
				}
				throw failure("the server did not start on port " + this.port + ". Its log:\n" + log.strip() + "\n", "",
						null);
			}
		}
		logger.warn("Started an embedded Redis for development on " + HOST + ":" + this.port
				+ ", because no Redis is configured; its data ends with the application. "
				+ "Set 'spring.data.redis.host' or 'spring.data.redis.url' to use another one, "
				+ "or 'ge.redis.embedded.enabled=false' to do without");
		return true;
	}

	private static GuardConfigurationException failure(String problem, String remedy, @Nullable Throwable cause) {
		return new GuardConfigurationException("ge.redis.embedded", problem,
				remedy + "To use another Redis, set 'spring.data.redis.host' or 'spring.data.redis.url'; "
						+ "to do without, set 'ge.redis.embedded.enabled' to false.",
				cause);
	}

	private String readLog() {
		try {
			return Files.readString(this.directory.resolve(LOG_FILE));
		}
		catch (IOException ex) {
			return "";
		}
	}

	private boolean waitFor(Duration timeout) {
		try {
			return this.process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return true;
		}
	}

	/**
	 * Returns the address of the loopback interface.
	 * @return the host as an IP address
	 */
	public String getHost() {
		return HOST;
	}

	public int getPort() {
		return this.port;
	}

	Path directory() {
		return this.directory;
	}

	ProcessHandle process() {
		return this.process.toHandle();
	}

	/**
	 * Ends the process, which has nothing to save, waits until it is gone, at most 10
	 * seconds, and removes its directory. Closing again does nothing.
	 */
	@Override
	public void close() {
		this.parentWatch.close();
		this.process.destroyForcibly();
		waitFor(STOP_TIMEOUT);
		delete(this.directory);
	}

	/**
	 * Unpacks the binary for this platform. The library's own server would write to the
	 * console and stay registered with the JVM after it has been stopped.
	 */
	private static Path unpackInto(Path directory) {
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
			throw failure("the server cannot be unpacked into " + directory + ".", USE_DIRECTORY, ex);
		}
	}

	private static Path unpack() throws IOException {
		try {
			return RedisExecProvider.defaultProvider().get().toPath();
		}
		catch (RuntimeException ex) {
			throw failure("there is no server for this platform: " + ex.getMessage() + ".", "", ex);
		}
	}

	static Path verify(Path executable) {
		if (Files.isExecutable(executable)) {
			return executable;
		}
		throw failure("the server cannot be executed as " + executable + ".", USE_DIRECTORY, null);
	}

	private static Path createDirectory() {
		try {
			return Files.createTempDirectory("ge-redis-embedded");
		}
		catch (IOException ex) {
			throw failure("there is no directory to unpack the server into.", USE_DIRECTORY, ex);
		}
	}

	private static void delete(Path directory) {
		try {
			FileSystemUtils.deleteRecursively(directory);
		}
		catch (IOException ex) {
			logger.debug("Could not remove " + directory, ex);
		}
	}

	private static int findFreePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw failure("there is no free port.", "", ex);
		}
	}

}
