// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ge.redis.GuardConfigurationException;
import io.ge.redis.test.FreePorts;
import io.ge.redis.test.RedisEndpoint;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests for {@link EmbeddedRedisServer}.
 */
class EmbeddedRedisServerIntegrationTests {

	private static final String ALTERNATIVES = "To use another Redis, set 'spring.data.redis.host' or "
			+ "'spring.data.redis.url'; to do without, set 'ge.redis.embedded.enabled' to false.";

	@Test
	void answersOnLoopbackOnlyAndKeepsNothing() {
		try (EmbeddedRedisServer server = EmbeddedRedisServer.start(0)) {
			RedisEndpoint redis = endpoint(server);
			assertThat(redis.command("PING")).isEqualTo("PONG");
			assertThat(redis.command("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
			assertThat(redis.command("CONFIG", "GET", "save")).isEqualTo(List.of("save", ""));
			assertThat(redis.command("CONFIG", "GET", "appendonly")).isEqualTo(List.of("appendonly", "no"));
		}
	}

	@Test
	void closeEndsProcessAndRemovesDirectory() {
		EmbeddedRedisServer server = EmbeddedRedisServer.start(0);
		assertThat(server.process().isAlive()).isTrue();
		assertThat(server.directory()).isNotEmptyDirectory();
		server.close();
		assertThat(server.process().isAlive()).isFalse();
		assertThat(server.directory()).doesNotExist();
		server.close();
	}

	@Test
	void warnsOnceThatItIsForDevelopmentAndHowToTurnItOff() {
		Logger logger = (Logger) LoggerFactory.getLogger(EmbeddedRedisServer.class);
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.start();
		logger.addAppender(appender);
		logger.setAdditive(false);
		logger.setLevel(Level.WARN);
		try (EmbeddedRedisServer server = EmbeddedRedisServer.start(0)) {
			assertThat(appender.list).singleElement().satisfies((event) -> {
				assertThat(event.getLevel()).isEqualTo(Level.WARN);
				assertThat(event.getFormattedMessage()).contains("embedded Redis for development",
						"127.0.0.1:" + server.getPort(), "spring.data.redis.host", "ge.redis.embedded.enabled=false");
			});
		}
		finally {
			logger.detachAppender(appender);
			logger.setAdditive(true);
			logger.setLevel(null);
		}
	}

	@Test
	void takesNextPortIfFirstIsTaken() throws IOException {
		int free = FreePorts.next();
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			Iterator<Integer> ports = List.of(taken.getLocalPort(), free).iterator();
			try (EmbeddedRedisServer server = EmbeddedRedisServer.start(ports::next, 2)) {
				assertThat(server.getPort()).isEqualTo(free);
			}
		}
	}

	@Test
	void failsIfConfiguredPortIsTaken() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			assertThatExceptionOfType(GuardConfigurationException.class)
				.isThrownBy(() -> EmbeddedRedisServer.start(taken.getLocalPort()))
				.withMessage("ge.redis.embedded: port %d is in use. Set 'ge.redis.embedded.port' to another port, "
						+ "or to 0 for a free one. %s", taken.getLocalPort(), ALTERNATIVES);
		}
	}

	@Test
	void failsIfBinaryCannotBeExecuted(@TempDir Path directory) throws IOException {
		Path file = Files.createFile(directory.resolve("redis-server"));
		assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> EmbeddedRedisServer.verify(file))
			.withMessage("ge.redis.embedded: the server cannot be executed as %s. Set the system property "
					+ "'java.io.tmpdir' to a directory from which programs may be run. %s", file, ALTERNATIVES);
	}

	@Test
	void failsIfPlatformHasNoBinary() {
		String system = System.getProperty("os.name");
		System.setProperty("os.name", "another");
		try {
			assertThatExceptionOfType(GuardConfigurationException.class).isThrownBy(() -> EmbeddedRedisServer.start(0))
				.withMessageStartingWith("ge.redis.embedded: there is no server for this platform: ")
				.withMessageEndingWith(". " + ALTERNATIVES);
		}
		finally {
			System.setProperty("os.name", system);
		}
	}

	@Test
	void standsOutsideProcessGroupThatTerminalInterrupts() throws IOException {
		assumeThat(Path.of("/usr/bin/setsid")).isExecutable();
		try (EmbeddedRedisServer server = EmbeddedRedisServer.start(0)) {
			long pid = server.process().pid();
			String status = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
			String processGroup = status.substring(status.lastIndexOf(')')).split(" ")[3];
			assertThat(processGroup).isEqualTo(String.valueOf(pid));
		}
	}

	@Test
	void endsWithJvmThatIsKilled() throws IOException {
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Application.class.getName())
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		try (BufferedReader output = jvm.inputReader()) {
			int port = Integer.parseInt(lineAfter(output, "port="));
			Path directory = Path.of(lineAfter(output, "directory="));
			assertThat(new RedisEndpoint("127.0.0.1", port).command("PING")).isEqualTo("PONG");
			assertThat(directory).exists();
			jvm.destroyForcibly();
			Awaitility.await("end of the server")
				.untilAsserted(() -> assertThatExceptionOfType(ConnectException.class)
					.isThrownBy(() -> new Socket("127.0.0.1", port).close()));
			Awaitility.await("end of its directory").untilAsserted(() -> assertThat(directory).doesNotExist());
		}
		finally {
			jvm.destroyForcibly();
		}
	}

	private static String lineAfter(BufferedReader output, String prefix) throws IOException {
		String line = output.readLine();
		while (line != null && !line.startsWith(prefix)) {
			line = output.readLine();
		}
		assertThat(line).as("line after " + prefix).isNotNull();
		return line.substring(prefix.length());
	}

	private static RedisEndpoint endpoint(EmbeddedRedisServer server) {
		return new RedisEndpoint(server.getHost(), server.getPort());
	}

	/**
	 * A JVM that starts a server and waits for its end.
	 */
	static final class Application {

		public static void main(String[] args) throws InterruptedException {
			EmbeddedRedisServer server = EmbeddedRedisServer.start(0);
			System.out.println("port=" + server.getPort());
			System.out.println("directory=" + server.directory());
			Thread.currentThread().join();
			server.close();
		}

	}

}
