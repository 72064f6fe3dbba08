// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.ge.redis.test.Reaper;
import net.bytebuddy.agent.ByteBuddyAgent;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * A JVM that this one has started, and the lines to and from it.
 */
final class ChildJvm {

	/** What a build says about threads holds for children, too. */
	private static final String VIRTUAL = "spring.threads.virtual.enabled";

	private static final int START_SECONDS = 180;

	private final Path directory;

	private final Process process;

	private final Socket socket;

	private final OutputStream output;

	private final Map<String, CompletableFuture<String>> pending = new ConcurrentHashMap<>();

	private final Map<String, CompletableFuture<Void>> reached = new ConcurrentHashMap<>();

	private final CompletableFuture<Long> ended = new CompletableFuture<>();

	private final AtomicLong ids = new AtomicLong();

	private final AtomicLong failpoints = new AtomicLong();

	private List<Sabotage.Script> scripts = List.of();

	private volatile boolean spent;

	private volatile boolean leaving;

	private ChildJvm(Path directory, Process process, Socket socket) throws IOException {
		this.directory = directory;
		this.process = process;
		this.socket = socket;
		this.output = socket.getOutputStream();
	}

	/**
	 * Starts a JVM with the class path of this one.
	 */
	static ChildJvm launch() {
		return launch(woven(ChildArchive.options()));
	}

	/**
	 * Starts a JVM.
	 * @param options where it finds its classes
	 */
	static ChildJvm launch(List<String> options) {
		try {
			Path directory = Reaper.newDirectory();
			try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
				Process process = new ProcessBuilder(command(options, server.getLocalPort())).redirectErrorStream(true)
					.redirectOutput(directory.resolve("output").toFile())
					.start();
				Files.writeString(directory.resolve(Reaper.PID_FILE), String.valueOf(process.pid()));
				ChildJvm child = new ChildJvm(directory, process, accept(server, process, directory));
				child.read();
				return child;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> woven(List<String> options) {
		Path agent = Path.of(ByteBuddyAgent.class.getProtectionDomain().getCodeSource().getLocation().getPath());
		List<String> all = new ArrayList<>(List.of("-javaagent:" + agent));
		all.addAll(options);
		return all;
	}

	private static List<String> command(List<String> options, int port) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto",
				"-D" + VIRTUAL + '=' + System.getProperty(VIRTUAL, "false")));
		// Most instances live for a few seconds: what costs time and changes nothing
		command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UnlockDiagnosticVMOptions",
				"-XX:-BytecodeVerificationRemote", "-Dspring.backgroundpreinitializer.ignore=true"));
		command.addAll(options);
		command.addAll(List.of(ChildMain.class.getName(), String.valueOf(port)));
		return command;
	}

	private static Socket accept(ServerSocket server, Process process, Path directory) throws IOException {
		server.setSoTimeout(100);
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
		while (true) {
			try {
				Socket socket = server.accept();
				socket.setTcpNoDelay(true);
				return socket;
			}
			catch (SocketTimeoutException ex) {
				if (!process.isAlive() || System.nanoTime() - deadline > 0) {
					process.destroyForcibly();
					throw new IllegalStateException(
							"A JVM did not start:\n" + Files.readString(directory.resolve("output")), ex);
				}
			}
		}
	}

	private void read() {
		Thread reader = new Thread(() -> {
			try (BufferedReader input = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8))) {
				for (String line = input.readLine(); line != null; line = input.readLine()) {
					received(Line.fields(line));
				}
			}
			catch (IOException ex) {
				// As good as its end
			}
			end();
		}, "instance-" + pid());
		reader.setDaemon(true);
		reader.start();
	}

	private void received(List<@Nullable String> fields) {
		String id = String.valueOf(fields.get(1));
		switch (String.valueOf(fields.get(0))) {
			case "done" -> remove(id).complete(fields.get(2));
			case "failed" -> remove(id).completeExceptionally(
					new InstanceCallException("Instance " + pid(), String.valueOf(fields.get(2)), fields.get(3)));
			case "reached" -> failpoint(id).complete(null);
			default -> {
			}
		}
	}

	private CompletableFuture<String> remove(String id) {
		return Objects.requireNonNull(this.pending.remove(id));
	}

	private void end() {
		long now = System.nanoTime();
		if (!this.leaving) {
			// A process that has closed its socket without ending is of no use either
			this.process.destroyForcibly();
		}
		// Who waits for the end finds calls that have failed
		failPending();
		this.ended.complete(now);
		// What was sent meanwhile
		failPending();
	}

	private void failPending() {
		for (String id : this.pending.keySet()) {
			CompletableFuture<String> call = this.pending.remove(id);
			if (call != null) {
				call.completeExceptionally(new InstanceGoneException("Instance " + pid()));
			}
		}
	}

	/**
	 * Names a failpoint or a sabotage as none that any of its applications has had.
	 */
	String newId(String kind) {
		return kind + "-" + this.failpoints.incrementAndGet();
	}

	CompletableFuture<Void> failpoint(String id) {
		return this.reached.computeIfAbsent(id, (key) -> new CompletableFuture<>());
	}

	/**
	 * Sends a line whose answer comes later.
	 */
	CompletableFuture<String> send(String kind, Object... fields) {
		String id = Long.toString(this.ids.incrementAndGet());
		List<Object> all = new ArrayList<>(List.of(kind, id));
		all.addAll(List.of(fields));
		CompletableFuture<String> answer = new CompletableFuture<>();
		this.pending.put(id, answer);
		byte[] line = (Line.of(all.toArray()) + "\n").getBytes(StandardCharsets.UTF_8);
		try {
			synchronized (this.output) {
				this.output.write(line);
				this.output.flush();
			}
		}
		catch (IOException ex) {
			this.pending.remove(id);
			answer.completeExceptionally(new InstanceGoneException("Instance " + pid()));
		}
		if (this.ended.isDone() && this.pending.remove(id) != null) {
			answer.completeExceptionally(new InstanceGoneException("Instance " + pid()));
		}
		return answer;
	}

	/**
	 * When the process was seen to have ended, in the time of {@link System#nanoTime()}.
	 */
	CompletableFuture<Long> ended() {
		return this.ended;
	}

	boolean isIdle() {
		return this.pending.isEmpty();
	}

	/**
	 * Whether it may serve another test.
	 */
	boolean isReusable() {
		return !this.spent && this.process.isAlive();
	}

	/**
	 * How its scripts are changed, which stays.
	 */
	List<Sabotage.Script> scripts() {
		return this.scripts;
	}

	void scripts(List<Sabotage.Script> scripts) {
		this.scripts = scripts;
	}

	/**
	 * Keeps it from serving another test.
	 */
	void spend() {
		this.spent = true;
	}

	long pid() {
		return this.process.pid();
	}

	Process process() {
		return this.process;
	}

	/**
	 * Lets the process end by itself, and waits for it.
	 */
	void leave() throws IOException {
		this.leaving = true;
		this.socket.shutdownOutput();
		try {
			this.process.waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		remove();
	}

	String log() {
		try {
			return Files.readString(this.directory.resolve("output"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends the process at once and waits for its end.
	 */
	void kill() {
		spend();
		this.process.destroyForcibly();
		try {
			this.process.waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Ends the process and removes its files.
	 */
	void remove() {
		kill();
		try {
			this.socket.close();
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
