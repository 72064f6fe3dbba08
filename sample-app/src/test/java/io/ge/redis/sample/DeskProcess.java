/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.ge.redis.test.Signals;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * An instance of the desk in a JVM of its own.
 */
final class DeskProcess extends DeskClient implements AutoCloseable {

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private static final String LOG = "log";

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

	static DeskProcess start(List<String> properties) {
		try {
			Path directory = Files.createTempDirectory("desk");
			List<String> command = new ArrayList<>();
			command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
			command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
					System.getProperty("java.class.path"), SampleApplication.class.getName()));
			command.addAll(List.of(Desk.arguments(properties)));
			command.add("--logging.level.org.springframework.boot=info");
			command.add("--server.tomcat.basedir=" + directory);
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(directory.resolve(LOG).toFile())
				.start();
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			return new DeskProcess(process, directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int awaitPort(Process process, Path log) throws IOException {
		Matcher[] found = new Matcher[1];
		Awaitility.await("start of a desk").atMost(Duration.ofMinutes(1)).until(() -> {
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
		this.process.destroy();
		try {
			if (!this.process.waitFor(20, TimeUnit.SECONDS)) {
				this.process.destroyForcibly().waitFor();
			}
			this.ended = log();
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
