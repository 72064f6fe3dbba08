// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.ge.redis.test.Signals;
import io.ge.redis.test.Sources;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * An instance of the desk in a JVM of its own.
 */
final class DeskProcess extends DeskClient implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private static final String LOG = "log";

	/** The command that starts a JVM such as this one. */
	static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

	/** A build tool compiles first. */
	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private final Process process;

	/** Its log, and what its server writes, which a killed one would leave. */
	private final Path directory;

	/** What was logged until it was closed. */
	private @Nullable String ended;

	private DeskProcess(Process process, Path directory) throws IOException {
		super(awaitPort(process, directory.resolve(LOG)));
		this.process = process;
		this.directory = directory;
	}

	/**
	 * Starts the classes under test.
	 * @param properties as on the command line, without dashes
	 */
	static DeskProcess start(List<String> properties) {
		return run((arguments) -> {
			List<String> command = new ArrayList<>(List.of(JAVA, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
					System.getProperty("java.class.path"), SampleApplication.class.getName()));
			command.addAll(arguments);
			return command;
		}, properties);
	}

	/**
	 * Starts an instance by a command, in the folder that holds all modules.
	 * @param command the command for arguments of the application
	 * @param properties as on the command line, without dashes
	 */
	static DeskProcess run(UnaryOperator<List<String>> command, List<String> properties) {
		try {
			Path directory = Files.createTempDirectory("desk");
			List<String> arguments = new ArrayList<>(List.of(Desk.arguments(properties)));
			arguments.add("--logging.level.org.springframework.boot=info");
			arguments.add("--server.tomcat.basedir=" + directory);
			Process process = new ProcessBuilder(command.apply(arguments)).directory(Sources.ROOT.toFile())
				.redirectErrorStream(true)
				.redirectOutput(directory.resolve(LOG).toFile())
				.start();
			Runtime.getRuntime()
				.addShutdownHook(new Thread(() -> family(process).forEach(ProcessHandle::destroyForcibly)));
			return new DeskProcess(process, directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The process and what it has started, which may outlive it.
	 */
	private static List<ProcessHandle> family(Process process) {
		return Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
	}

	private static int awaitPort(Process process, Path log) throws IOException {
		Matcher[] found = new Matcher[1];
		Awaitility.await("start of a desk").atMost(PATIENCE).until(() -> {
			found[0] = PORT.matcher(Files.readString(log));
			return found[0].find() || !process.isAlive();
		});
		if (!process.isAlive()) {
			throw new IllegalStateException("The desk did not start:\n" + Files.readString(log));
		}
		return Integer.parseInt(found[0].group(1));
	}

	/**
	 * What was logged: warnings, errors, and the start.
	 */
	String log() {
		if (this.ended != null) {
			return this.ended;
		}
		try {
			return Files.readString(this.directory.resolve(LOG));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Stops the process where it is, as a long collection of garbage or a machine that is
	 * moved would.
	 */
	void pause() {
		Signals.pause(this.process.pid());
	}

	/**
	 * Lets the process go on as if nothing had been.
	 */
	void resume() {
		Signals.resume(this.process.pid());
	}

	/**
	 * Ends the process in order, and removes what it has written.
	 */
	@Override
	public void close() {
		List<ProcessHandle> family = family(this.process);
		family.forEach(ProcessHandle::destroy);
		CompletableFuture<?>[] ends = family.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
		try {
			CompletableFuture.allOf(ends).completeOnTimeout(null, 20, TimeUnit.SECONDS).join();
			family.forEach(ProcessHandle::destroyForcibly);
			CompletableFuture.allOf(ends).join();
			this.ended = log();
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
