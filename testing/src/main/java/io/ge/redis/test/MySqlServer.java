// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A MySQL or MariaDB server with an empty directory, which ends with this JVM.
 */
public final class MySqlServer {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final String url;

	private MySqlServer(String url) {
		this.url = url;
	}

	/**
	 * The binary of a MySQL server: what {@code -Dge.test.mysql} names.
	 * @return the binary, if there is one
	 */
	public static Optional<Path> mySql() {
		return named("ge.test.mysql");
	}

	/**
	 * The binary of a MariaDB server: what {@code -Dge.test.mariadb} names, or else the
	 * {@code mariadbd} of this machine.
	 * @return the binary, if there is one
	 */
	public static Optional<Path> mariaDb() {
		return named("ge.test.mariadb").or(() -> find("mariadbd"));
	}

	private static Optional<Path> named(String property) {
		return Optional.ofNullable(System.getProperty(property)).map(Path::of);
	}

	private static Optional<Path> find(String binary) {
		String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
		return Stream.of(path.split(File.pathSeparator))
			.map((directory) -> Path.of(directory, binary))
			.filter(Files::isExecutable)
			.findFirst();
	}

	/**
	 * Starts a MySQL server.
	 * @param binary its binary, in the directory {@code bin} of an installation
	 * @return the server
	 */
	public static MySqlServer startMySql(Path binary) {
		String home = "--basedir=" + binary.toAbsolutePath().getParent().getParent();
		return start("mysql", binary, (data) -> List.of(binary.toString(), "--no-defaults", home,
				"--initialize-insecure", "--user=" + user(), "--datadir=" + data), home, "--mysqlx=OFF");
	}

	/**
	 * Starts a MariaDB server.
	 * @param binary its binary
	 * @return the server
	 */
	public static MySqlServer startMariaDb(Path binary) {
		String install = find("mariadb-install-db").map(Path::toString).orElse("mariadb-install-db");
		return start("mariadb", binary, (data) -> List.of(install, "--no-defaults", "--skip-test-db",
				"--auth-root-authentication-method=normal", "--user=" + user(), "--datadir=" + data));
	}

	private static String user() {
		return System.getProperty("user.name");
	}

	private static MySqlServer start(String kind, Path binary, Installation installation, String... arguments) {
		try {
			Path directory = Reaper.newDirectory();
			Path data = directory.resolve("data");
			Path output = directory.resolve("output");
			int status = process(output, installation.command(data)).waitFor();
			if (status != 0) {
				throw new IllegalStateException(kind + " could not be installed:\n" + Files.readString(output));
			}
			int port = FreePorts.next();
			List<String> command = new ArrayList<>(List.of(binary.toString(), "--no-defaults", "--user=" + user(),
					"--datadir=" + data, "--socket=" + directory.resolve("socket"),
					"--pid-file=" + directory.resolve("server-pid"), "--bind-address=127.0.0.1", "--port=" + port));
			command.addAll(List.of(arguments));
			Process process = process(output, command);
			Files.writeString(directory.resolve(Reaper.PID_FILE), String.valueOf(process.pid()));
			String url = "jdbc:" + kind + "://127.0.0.1:" + port + "/witness?user=root&createDatabaseIfNotExist=true";
			awaitConnection(url, process, output);
			return new MySqlServer(url);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private static Process process(Path output, List<String> command) throws IOException {
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
			.start();
	}

	private static void awaitConnection(String url, Process process, Path output) throws IOException {
		Awaitility.await("connection to " + url)
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(100))
			.until(() -> !process.isAlive() || connect(url) == null);
		if (!process.isAlive()) {
			throw new IllegalStateException("The server did not start:\n" + Files.readString(output));
		}
	}

	private static @Nullable SQLException connect(String url) {
		try (Connection connection = DriverManager.getConnection(url)) {
			return null;
		}
		catch (SQLException ex) {
			return ex;
		}
	}

	/**
	 * Where it is.
	 * @return the URL of a database in it
	 */
	public String url() {
		return this.url;
	}

	/**
	 * How a server gets its data directory.
	 */
	private interface Installation {

		List<String> command(Path data);

	}

}
