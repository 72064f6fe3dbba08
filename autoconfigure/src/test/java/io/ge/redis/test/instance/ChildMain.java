// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.ge.redis.test.oracle.Journal;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The main class of a JVM that runs instances, one after the other, as its parent says.
 * It ends when the parent has gone.
 */
final class ChildMain {

	private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "operation");
		thread.setDaemon(true);
		return thread;
	});

	private final OutputStream output;

	private volatile @Nullable ConfigurableApplicationContext context;

	private @Nullable Journal journal;

	private ChildMain(OutputStream output) {
		this.output = output;
	}

	public static void main(String[] arguments) throws Exception {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))) {
			socket.setTcpNoDelay(true);
			ChildMain child = new ChildMain(socket.getOutputStream());
			Woven.tell((id) -> child.send("reached", id, System.nanoTime()));
			child.send("hello", ProcessHandle.current().pid());
			child.serve(new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
		}
		finally {
			Runtime.getRuntime().halt(0);
		}
	}

	private static SpringApplication application(Class<?> configuration) {
		SpringApplication application = new SpringApplication(configuration);
		application.setBannerMode(Banner.Mode.OFF);
		application.setLogStartupInfo(false);
		application.setRegisterShutdownHook(false);
		application.setDefaultProperties(Map.of("spring.main.web-application-type", "none"));
		return application;
	}

	private void serve(BufferedReader input) throws IOException {
		for (String line = input.readLine(); line != null; line = input.readLine()) {
			List<@Nullable String> fields = Line.fields(line);
			this.threads.execute(() -> answer(fields));
		}
	}

	private void answer(List<@Nullable String> fields) {
		String id = fields.get(1);
		try {
			send("done", id, perform(fields));
		}
		catch (Throwable ex) {
			send("failed", id, ex.getClass().getName(), ex.getMessage());
			if (!"call".equals(fields.get(0))) {
				ex.printStackTrace();
			}
		}
	}

	private @Nullable String perform(List<@Nullable String> fields) throws Exception {
		List<String> arguments = fields.subList(2, fields.size()).stream().map(Objects::requireNonNull).toList();
		switch (Objects.requireNonNull(fields.get(0))) {
			case "call" -> {
				ConfigurableApplicationContext current = Objects.requireNonNull(this.context, "Not started");
				Operation operation = current.getBean(arguments.get(0), Operation.class);
				return operation.run(arguments.subList(1, arguments.size()).toArray(String[]::new));
			}
			case "start" -> start(arguments);
			case "stop" -> stop();
			case "clock" -> ShiftedClock.install(Duration.ofMillis(Long.parseLong(arguments.get(0))));
			case "failpoint" -> failpoint(arguments);
			case "release" -> Woven.release(arguments.get(0));
			case "skip" -> Weaver.skip(arguments.get(0), arguments.get(1), arguments.get(2));
			case "answer" -> {
				Woven.constant(arguments.get(0), (arguments.size() > 3) ? arguments.get(3) : null);
				Weaver.answer(arguments.get(0), arguments.get(1), arguments.get(2));
			}
			case "script" -> {
				Woven.script(arguments.get(0), arguments.get(1));
				Weaver.scripts();
			}
			default -> throw new IllegalArgumentException("Unknown: " + fields.get(0));
		}
		return null;
	}

	private void failpoint(List<String> arguments) throws ReflectiveOperationException {
		Failpoint failpoint = new Failpoint(arguments.get(1), arguments.get(2),
				Failpoint.Position.valueOf(arguments.get(3)), Failpoint.Action.valueOf(arguments.get(4)));
		if (failpoint.action() == Failpoint.Action.HOLD) {
			Woven.hold(arguments.get(0));
		}
		else {
			Woven.halt(arguments.get(0));
		}
		Weaver.failpoint(arguments.get(0), failpoint);
	}

	/**
	 * Starts the application.
	 * @param arguments the configuration, the name of the instance, the directory of the
	 * journal or nothing, and properties
	 */
	private void start(List<String> arguments) throws ClassNotFoundException {
		SpringApplication application = application(Class.forName(arguments.get(0)));
		if (!arguments.get(2).isEmpty()) {
			Journal opened = Journal.open(Path.of(arguments.get(2)), arguments.get(1));
			this.journal = opened;
			application.addInitializers((starting) -> starting.getBeanFactory().registerSingleton("journal", opened));
		}
		List<String> properties = new ArrayList<>();
		properties.add("--" + Instances.NAME_PROPERTY + "=" + arguments.get(1));
		arguments.subList(3, arguments.size()).forEach((property) -> properties.add("--" + property));
		this.context = application.run(properties.toArray(String[]::new));
	}

	private void stop() {
		Woven.releaseAll();
		ConfigurableApplicationContext current = this.context;
		if (current != null) {
			current.close();
		}
		if (this.journal != null) {
			this.journal.close();
		}
		this.context = null;
		this.journal = null;
		Weaver.undo();
		Woven.clear();
	}

	private void send(@Nullable Object... fields) {
		byte[] line = (Line.of(fields) + "\n").getBytes(StandardCharsets.UTF_8);
		try {
			synchronized (this.output) {
				this.output.write(line);
				this.output.flush();
			}
		}
		catch (IOException ex) {
			Runtime.getRuntime().halt(1); // the parent has gone
		}
	}

}
