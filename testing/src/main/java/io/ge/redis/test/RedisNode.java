// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * One {@code redis-server} process on the loopback interface, under the control of a
 * test: it can be paused, killed and started again on the same port with the files it
 * left.
 */
public final class RedisNode extends RedisEndpoint implements AutoCloseable {

	/** How long a server may be silent; while it loads its files it is not. */
	private static final Duration START_TIMEOUT = Duration.ofSeconds(20);

	private static final int PORT_ATTEMPTS = 10;

	private static final String BALLAST_DATABASE = "15";

	private final RedisBinary binary;

	private final Path directory;

	private final List<String> arguments;

	private @Nullable Process process;

	private RedisNode(RedisBinary binary, int port, Path directory, List<String> arguments) {
		super("127.0.0.1", port);
		this.binary = binary;
		this.directory = directory;
		this.arguments = arguments;
	}

	/**
	 * Starts a server that keeps nothing on disk unless a setting says so.
	 * @param binary what to execute
	 * @param settings lines of {@code redis.conf}, which win over the kit's
	 */
	static RedisNode server(RedisBinary binary, String... settings) {
		List<String> lines = new ArrayList<>(binary.settings());
		lines.addAll(List.of(settings));
		return startOnFreePort(binary, lines, List.of());
	}

	static RedisNode sentinel(RedisBinary binary, String... settings) {
		return startOnFreePort(binary, List.of(settings), List.of("--sentinel"));
	}

	private static RedisNode startOnFreePort(RedisBinary binary, List<String> settings, List<String> arguments) {
		for (int attempt = 1;; attempt++) {
			RedisNode node = create(binary, FreePorts.next(), settings, arguments);
			try {
				node.start();
				return node;
			}
			catch (IllegalStateException ex) {
				boolean portTaken = node.log().matches("(?s).*Address (already )?in use.*");
				node.close();
				if (!portTaken || attempt == PORT_ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	private static RedisNode create(RedisBinary binary, int port, List<String> settings, List<String> arguments) {
		try {
			Path directory = Reaper.newDirectory();
			List<String> lines = new ArrayList<>(
					List.of("bind 127.0.0.1", "port " + port, "dir " + directory, "logfile log"));
			lines.addAll(settings);
			Files.write(directory.resolve("redis.conf"), lines);
			return new RedisNode(binary, port, directory, arguments);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Starts the process, again if it was stopped or killed, and returns as soon as it
	 * answers and has loaded its files.
	 */
	public void start() {
		if (isRunning()) {
			throw new IllegalStateException("Redis on " + this + " runs already");
		}
		Process started = launch(List.of());
		this.process = started;
		await(started, false);
	}

	/**
	 * Stops the process in order and starts it. Without {@code appendonly yes}, a
	 * {@code save} setting or {@link #save()} the server has forgotten everything.
	 */
	public void restart() {
		stop();
		start();
	}

	/**
	 * Writes what the server holds to disk: what {@link #start()} will find there.
	 */
	public void save() {
		command("SAVE");
	}

	/**
	 * Waits until replicas have all that was written until now. {@code WAIT} knows but
	 * what its own connection has written, so that one writes first.
	 * @param replicas how many
	 */
	public void awaitReplicated(int replicas) {
		try (RespClient client = new RespClient(host(), port())) {
			client.command("SET", "replicated", "", "PX", "1");
			if ((Long) client.command("WAIT", String.valueOf(replicas), "4000") < replicas) {
				throw new IllegalStateException("Replicas stay behind " + this);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Saves, kills the process, and starts it with so much to load that for about some
	 * time it answers nearly everything with {@code LOADING}, which it does when this
	 * returns. Neither for a server with an append-only file nor for one of a Cluster.
	 * @param duration how long to load
	 */
	public void restartLoading(Duration duration) {
		RedisBinary.SlowLoading slow = this.binary.slowLoading();
		try (RespClient client = saveBallast(slow, duration)) {
			kill();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		List<String> arguments = new ArrayList<>();
		slow.settings().forEach((name, value) -> arguments.addAll(List.of("--" + name, value)));
		Process started = launch(arguments);
		this.process = started;
		await(started, true);
	}

	/**
	 * Lets the server read its data again, as a replica does of its primary: its
	 * connections stay open while for about some time it answers nearly everything with
	 * {@code LOADING}, which it does when this returns. Not for one of a Cluster.
	 * @param duration how long to load
	 */
	public void reload(Duration duration) {
		RedisBinary.SlowLoading slow = this.binary.slowLoading();
		slow.settings().forEach((name, value) -> command("CONFIG", "SET", name, value));
		try (RespClient client = saveBallast(slow, duration)) {
			client.send("DEBUG", "RELOAD", "NOSAVE");
			await(running(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Fills a database that nobody uses, so that loading the file takes its time.
	 */
	private RespClient saveBallast(RedisBinary.SlowLoading slow, Duration duration) throws IOException {
		RespClient client = new RespClient(host(), port());
		client.command("SELECT", BALLAST_DATABASE);
		client.command("DEBUG", "POPULATE", String.valueOf(duration.dividedBy(slow.delay())), "ballast",
				String.valueOf(slow.valueBytes()));
		client.command("CONFIG", "SET", "rdbcompression", "no");
		client.command("SAVE");
		return client;
	}

	/**
	 * Waits until {@link #restartLoading} or {@link #reload} has come to its end.
	 */
	public void awaitLoaded() {
		await(running(), false);
		try (RespClient client = new RespClient(host(), port())) {
			client.command("SELECT", BALLAST_DATABASE);
			client.command("FLUSHDB");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Process launch(List<String> furtherArguments) {
		List<String> command = new ArrayList<>();
		command.add(this.binary.path().toString());
		command.add(this.directory.resolve("redis.conf").toString());
		command.addAll(this.arguments);
		command.addAll(furtherArguments);
		try {
			Process started = new ProcessBuilder(command).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(this.directory.resolve("output").toFile())
				.start();
			Files.writeString(pidFile(), String.valueOf(started.pid()));
			return started;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void await(Process started, boolean loading) {
		long lastSign = System.nanoTime();
		while (true) {
			Boolean loads = isLoading(started);
			if (loads != null && loads == loading) {
				return;
			}
			if (loads != null && loads) {
				lastSign = System.nanoTime();
			}
			if (waitFor(started, Duration.ofMillis(10)) || System.nanoTime() - lastSign > START_TIMEOUT.toNanos()) {
				throw new IllegalStateException("Redis on " + this + " did not start:\n" + log());
			}
		}
	}

	/**
	 * Compares the process, since someone else's server may stand on the port.
	 * @return whether it loads its files, or {@code null} if it does not answer
	 */
	private @Nullable Boolean isLoading(Process started) {
		try {
			return String.valueOf(started.pid()).equals(info("server", "process_id"))
					? "1".equals(info("persistence", "loading")) : null;
		}
		catch (UncheckedIOException ex) {
			return null;
		}
	}

	/**
	 * Whether the process exists, be it paused.
	 * @return {@code false} after {@link #stop()}, {@link #kill()} or a crash
	 */
	public boolean isRunning() {
		Process current = this.process;
		return current != null && current.isAlive();
	}

	/**
	 * Freezes the process (SIGSTOP): connections stay open and are even accepted, nothing
	 * is answered.
	 */
	public void pause() {
		Signals.pause(running().pid());
	}

	/**
	 * Lets a paused process go on (SIGCONT). It then works off what has arrived.
	 */
	public void resume() {
		Signals.resume(running().pid());
	}

	/**
	 * Ends the process at once (SIGKILL); what was not yet on disk is lost.
	 */
	public void kill() {
		end(running().destroyForcibly());
	}

	/**
	 * Ends the process in order (SIGTERM), as a restart in operation would.
	 */
	public void stop() {
		Process current = running();
		current.destroy();
		end(current);
	}

	private void end(Process current) {
		if (!waitFor(current, START_TIMEOUT)) {
			throw new IllegalStateException("Redis on " + this + " does not end");
		}
		try {
			Files.deleteIfExists(pidFile());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Process running() {
		Process current = this.process;
		if (current == null || !current.isAlive()) {
			throw new IllegalStateException("Redis on " + this + " does not run");
		}
		return current;
	}

	/**
	 * What the server has logged over all its starts.
	 * @return the log, for messages and assertions
	 */
	public String log() {
		try {
			Path log = this.directory.resolve("log");
			Path output = this.directory.resolve("output");
			return (Files.exists(log) ? Files.readString(log) : "") + Files.readString(output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kills the process if it runs and removes its files.
	 */
	@Override
	public void close() {
		if (isRunning()) {
			kill();
		}
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	Path directory() {
		return this.directory;
	}

	private Path pidFile() {
		return this.directory.resolve(Reaper.PID_FILE);
	}

	private static boolean waitFor(Process process, Duration timeout) {
		try {
			return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

}
