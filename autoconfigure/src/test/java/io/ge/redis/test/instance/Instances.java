// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.ge.redis.test.oracle.Journal;
import org.jspecify.annotations.Nullable;

/**
 * Instances of an application, each in a JVM of its own. Closing ends them all.
 *
 * <pre class="code">
 * try (Instances instances = Instances.of(OrdersApplication.class).with(redis.properties())) {
 *     Instance first = instances.start();
 *     Instance late = instances.clockAhead(Duration.ofMinutes(5)).start();
 *     first.call("order", "42").join();
 *     first.kill();
 * }
 * </pre>
 *
 * Each method with a setting returns another view of the same family: it holds for what
 * is started through that view. The configuration class is started as a Spring Boot
 * application without web server, unless a property says otherwise; its beans of type
 * {@link Operation} are what can be called.
 * <p>
 * JVMs are used again for later instances, of any application and with the same sabotaged
 * scripts, unless they were killed or are paused.
 */
public final class Instances implements AutoCloseable {

	/**
	 * The property that holds the name of an instance.
	 */
	public static final String NAME_PROPERTY = "ge.test.instance";

	private static final int START_SECONDS = 180;

	private final Class<?> configuration;

	private final Family family;

	private final Settings settings;

	private Instances(Class<?> configuration, Family family, Settings settings) {
		this.configuration = configuration;
		this.family = family;
		this.settings = settings;
	}

	/**
	 * Instances of an application.
	 * @param applicationConfiguration its configuration class
	 * @return none yet
	 */
	public static Instances of(Class<?> applicationConfiguration) {
		return new Instances(applicationConfiguration, new Family(),
				new Settings("instance", Map.of(), List.of(), Duration.ZERO, null));
	}

	/**
	 * Adds properties, of which the last of a name counts.
	 * @param properties pairs as {@code name=value}
	 * @return a view
	 */
	public Instances with(String... properties) {
		Map<String, String> all = new LinkedHashMap<>(this.settings.properties);
		for (String property : properties) {
			int end = property.indexOf('=');
			all.put(property.substring(0, end), property.substring(end + 1));
		}
		return view(new Settings(this.settings.name, all, this.settings.sabotage, this.settings.ahead,
				this.settings.journal));
	}

	/**
	 * Names instances; a number follows.
	 * @param name the name
	 * @return a view
	 */
	public Instances named(String name) {
		return view(new Settings(name, this.settings.properties, this.settings.sabotage, this.settings.ahead,
				this.settings.journal));
	}

	/**
	 * Gives each instance a bean of type {@link Journal}, and writes its end there when
	 * it is killed or halted.
	 * @param directory where the journals stand
	 * @return a view
	 */
	public Instances journal(Path directory) {
		return view(new Settings(this.settings.name, this.settings.properties, this.settings.sabotage,
				this.settings.ahead, directory));
	}

	/**
	 * Turns protections off.
	 * @param sabotage which ones
	 * @return a view
	 */
	public Instances sabotaged(Sabotage... sabotage) {
		List<Sabotage> all = new ArrayList<>(this.settings.sabotage);
		all.addAll(List.of(sabotage));
		return view(new Settings(this.settings.name, this.settings.properties, all, this.settings.ahead,
				this.settings.journal));
	}

	/**
	 * Lets the wall clock of instances go ahead of the true time.
	 * @param ahead how far; negative for behind
	 * @return a view
	 */
	public Instances clockAhead(Duration ahead) {
		return view(new Settings(this.settings.name, this.settings.properties, this.settings.sabotage, ahead,
				this.settings.journal));
	}

	private Instances view(Settings changed) {
		return new Instances(this.configuration, this.family, changed);
	}

	/**
	 * Starts an instance.
	 * @return the instance, whose application has started
	 */
	public Instance start() {
		ChildJvm child = this.settings.ahead.isZero() ? ChildJvms.take(scripts()) : ChildJvm.launch();
		String name = this.settings.name + "-" + this.family.numbers.incrementAndGet();
		try {
			prepare(child);
			await(child, child.send("start", arguments(name)));
		}
		catch (RuntimeException | Error ex) {
			child.remove();
			throw ex;
		}
		Instance instance = new Instance(name, child, this.settings.journal);
		this.family.started.add(instance);
		return instance;
	}

	/**
	 * Starts several instances at once.
	 * @param number how many
	 * @return the instances
	 */
	public List<Instance> start(int number) {
		List<CompletableFuture<Instance>> starting = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			CompletableFuture<Instance> future = new CompletableFuture<>();
			starting.add(future);
			Thread thread = new Thread(() -> {
				try {
					future.complete(start());
				}
				catch (Throwable ex) {
					future.completeExceptionally(ex);
				}
			}, "start-instance");
			thread.setDaemon(true);
			thread.start();
		}
		try {
			CompletableFuture.allOf(starting.toArray(CompletableFuture[]::new)).join();
		}
		catch (CompletionException ex) {
			// Nobody would know of the others, which would go on working
			starting.stream()
				.filter((future) -> !future.isCompletedExceptionally())
				.forEach((future) -> future.join().close());
			throw ex;
		}
		return starting.stream().map(CompletableFuture::join).toList();
	}

	private void prepare(ChildJvm child) {
		if (!this.settings.ahead.isZero()) {
			child.spend();
			await(child, child.send("clock", this.settings.ahead.toMillis()));
		}
		child.scripts(scripts());
		for (Sabotage sabotage : this.settings.sabotage) {
			if (sabotage instanceof Sabotage.Code code) {
				await(child, sabotage(child, child.newId("sabotage"), code));
			}
			else if (sabotage instanceof Sabotage.Script script) {
				await(child, child.send("script", script.before(), script.after()));
			}
		}
	}

	private List<Sabotage.Script> scripts() {
		return this.settings.sabotage.stream()
			.filter(Sabotage.Script.class::isInstance)
			.map(Sabotage.Script.class::cast)
			.toList();
	}

	private static CompletableFuture<String> sabotage(ChildJvm child, String id, Sabotage.Code code) {
		if (code.skip()) {
			return child.send("skip", id, code.type(), code.method());
		}
		return (code.constant() != null)
				? child.send("answer", id, code.type(), code.method(), serialize(code.constant()))
				: child.send("answer", id, code.type(), code.method());
	}

	private static String serialize(Serializable constant) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
			stream.writeObject(constant);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return Base64.getEncoder().encodeToString(bytes.toByteArray());
	}

	private Object[] arguments(String name) {
		Path journal = this.settings.journal;
		List<String> arguments = new ArrayList<>(
				List.of(this.configuration.getName(), name, (journal != null) ? journal.toString() : ""));
		this.settings.properties.forEach((key, value) -> arguments.add(key + "=" + value));
		return arguments.toArray();
	}

	private static void await(ChildJvm child, CompletableFuture<String> answer) {
		try {
			answer.orTimeout(START_SECONDS, TimeUnit.SECONDS).join();
		}
		catch (CompletionException ex) {
			throw new IllegalStateException("An instance did not start: " + ex.getCause() + "\n" + child.log(), ex);
		}
	}

	/**
	 * The instances of this family that were started, in their order.
	 * @return all of them, running or not
	 */
	public List<Instance> all() {
		return List.copyOf(this.family.started);
	}

	@Override
	public void close() {
		this.family.started.forEach(Instance::close);
		this.family.started.clear();
	}

	private static final class Family {

		private final List<Instance> started = new CopyOnWriteArrayList<>();

		private final AtomicInteger numbers = new AtomicInteger();

	}

	private record Settings(String name, Map<String, String> properties, List<Sabotage> sabotage, Duration ahead,
			@Nullable Path journal) {
	}

}
