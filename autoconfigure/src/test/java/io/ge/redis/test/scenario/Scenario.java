// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

import io.ge.redis.test.RedisFixture;
import io.ge.redis.test.Stopwatch;
import io.ge.redis.test.fault.FaultRun;
import io.ge.redis.test.instance.Instance;
import io.ge.redis.test.instance.InstanceCallException;
import io.ge.redis.test.instance.InstanceGoneException;
import io.ge.redis.test.instance.Instances;
import io.ge.redis.test.instance.Sabotage;
import io.ge.redis.test.oracle.Entry;
import io.ge.redis.test.oracle.History;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * What scenarios have in common: instances of the application, the subject among them
 * with its protection turned off if so wanted, and their journals.
 */
abstract class Scenario implements AutoCloseable {

	static final Duration PATIENCE = Duration.ofSeconds(30);

	/** Where journals are kept for whoever wants to read them. */
	private static final @Nullable String KEPT = System.getProperty("ge.test.journals");

	final FaultRun run;

	private final Path directory;

	private Instances instances;

	private final Sabotage[] sabotage;

	Scenario(FaultRun run, Class<?> application, Sabotage... sabotage) {
		this.run = run;
		this.sabotage = sabotage;
		try {
			// One of its own each time, since a run may go through its scenario more than
			// once
			this.directory = (KEPT != null)
					? Files.createTempDirectory(Files.createDirectories(Path.of(KEPT)), name(run))
					: Files.createTempDirectory("ge-redis-scenario");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.instances = Instances.of(application).journal(this.directory);
	}

	private static String name(FaultRun run) {
		return run.toString().replaceAll("[^A-Za-z0-9]+", "-");
	}

	/**
	 * Adds properties to all instances.
	 */
	final void addProperties(String... properties) {
		this.instances = this.instances.with(properties);
	}

	/**
	 * Instances that are sound.
	 */
	final Instances others(String... properties) {
		return this.instances.named("other").with(properties);
	}

	/**
	 * Instances whose protection is judged.
	 */
	final Instances subjects(String... properties) {
		return this.instances.named("subject").with(properties).sabotaged(this.sabotage);
	}

	final Instances subjects(RedisFixture redis) {
		return subjects(redis.properties());
	}

	final Instances others(RedisFixture redis) {
		return others(redis.properties());
	}

	/**
	 * One subject and other instances, started at once.
	 */
	final List<Instance> subjectAnd(int others, RedisFixture redis) {
		CompletableFuture<Instance> subject = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				subject.complete(subjects(redis).start());
			}
			catch (Throwable ex) {
				subject.completeExceptionally(ex);
			}
		});
		thread.start();
		List<Instance> all = new ArrayList<>(others(redis).start(others));
		all.add(0, subject.join());
		return all;
	}

	/**
	 * The instances in another order, since the scripts that the first one sends serve a
	 * subject which has lost the ability to send them.
	 */
	static List<Instance> othersFirst(List<Instance> instances) {
		List<Instance> reversed = new ArrayList<>(instances);
		Collections.reverse(reversed);
		return reversed;
	}

	final Path directory() {
		return this.directory;
	}

	final History history() {
		return History.read(this.directory);
	}

	final Entry await(String what, Predicate<Entry> sought) {
		return Awaitility.await(what)
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(40))
			.until(() -> find(sought), (found) -> found != null);
	}

	final @Nullable Entry find(Predicate<Entry> sought) {
		return history().entries().stream().filter(sought).findFirst().orElse(null);
	}

	/**
	 * The result of a call, or the name of what it has thrown.
	 */
	static String result(CompletableFuture<String> call) {
		try {
			return call.get(PATIENCE.toMillis() * 2, TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof InstanceCallException failure) {
				return failure.thrown();
			}
			if (ex.getCause() instanceof InstanceGoneException) {
				return "gone";
			}
			throw new IllegalStateException(ex.getCause());
		}
		catch (TimeoutException ex) {
			return "no answer";
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	/**
	 * Lets time pass in which instances work.
	 */
	static void pass(Duration time) {
		try {
			TimeUnit.NANOSECONDS.sleep(time.toNanos());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted", ex);
		}
	}

	/**
	 * How long something has taken, without what the machine has withheld since then.
	 * @param from when it began
	 * @param to when it ended, in whichever process
	 * @param watch started when it began
	 */
	static Duration between(long from, long to, Stopwatch watch) {
		Duration took = Duration.ofNanos(to - from);
		Duration given = watch.elapsed();
		return (given.compareTo(took) < 0) ? given : took;
	}

	static Duration since(long nanos) {
		return Duration.ofNanos(System.nanoTime() - nanos);
	}

	@Override
	public final void close() {
		this.instances.close();
		if (KEPT != null) {
			return;
		}
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
