// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;

/**
 * What a server executes of one command, also inside scripts, with the time of its own
 * clock: what has really happened, whatever clients believe. Slows the server down.
 */
public final class RedisMonitor implements AutoCloseable {

	private static final Pattern LINE = Pattern.compile("\\+(\\d+)\\.(\\d{6}) \\[[^]]*] \"([^\"]+)\"(.*)");

	private static final Pattern ARGUMENT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

	private final RedisEndpoint server;

	private final String command;

	private final Socket socket;

	private final List<Executed> executed = new ArrayList<>();

	private final CopyOnWriteArraySet<String> marks = new CopyOnWriteArraySet<>();

	private final CountDownLatch started = new CountDownLatch(1);

	private RedisMonitor(RedisEndpoint server, String command) throws IOException {
		this.server = server;
		this.command = command.toUpperCase(Locale.ROOT);
		this.socket = new Socket(server.host(), server.port());
		this.socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
		Thread thread = new Thread(this::read, "redis-monitor");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Begins to listen.
	 * @param server the server
	 * @param command the command that is of interest
	 * @return the monitor, which hears everything from now on
	 */
	public static RedisMonitor of(RedisEndpoint server, String command) {
		try {
			RedisMonitor monitor = new RedisMonitor(server, command);
			if (!monitor.started.await(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException(server + " cannot be monitored");
			}
			return monitor;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	private void read() {
		try (BufferedReader reader = new BufferedReader(
				new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				this.started.countDown();
				hear(line);
			}
		}
		catch (IOException ex) {
			// Closed, or the server has gone
		}
	}

	private void hear(String line) {
		Matcher matcher = LINE.matcher(line);
		if (!matcher.matches()) {
			return;
		}
		String name = matcher.group(3).toUpperCase(Locale.ROOT);
		if (name.equals(this.command)) {
			long micros = Long.parseLong(matcher.group(1)) * 1_000_000 + Long.parseLong(matcher.group(2));
			Executed found = new Executed(micros, arguments(matcher.group(4)));
			synchronized (this.executed) {
				this.executed.add(found);
			}
		}
		else if (name.equals("ECHO")) {
			this.marks.addAll(arguments(matcher.group(4)));
		}
	}

	private static List<String> arguments(String text) {
		List<String> arguments = new ArrayList<>();
		Matcher matcher = ARGUMENT.matcher(text);
		while (matcher.find()) {
			arguments.add(matcher.group(1));
		}
		return List.copyOf(arguments);
	}

	/**
	 * What was executed until now, in its order.
	 * @return all of it since the start
	 */
	public List<Executed> executed() {
		String mark = UUID.randomUUID().toString();
		this.server.command("ECHO", mark);
		Awaitility.await("monitor of " + this.server)
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(1))
			.pollDelay(Duration.ZERO)
			.until(() -> this.marks.remove(mark));
		synchronized (this.executed) {
			return List.copyOf(this.executed);
		}
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A command that was executed.
	 *
	 * @param micros when, by the clock of the server, in microseconds
	 * @param arguments its arguments
	 */
	public record Executed(long micros, List<String> arguments) {
	}

}
