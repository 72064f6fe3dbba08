// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.consume;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.ge.redis.core.RedisBackend;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * All containers of an application. Starts after everything else and stops first, so that
 * nothing is taken that could not be worked on: each stop waits for the handlers.
 */
public final class Consumers implements SmartLifecycle {

	/**
	 * Before web servers stop to take requests.
	 */
	public static final int PHASE = Integer.MAX_VALUE - 512;

	private static final Duration READY = Duration.ofSeconds(2);

	private final ConsumerThreads threads;

	private final Map<RedisBackend, Doorbells> doorbells = new ConcurrentHashMap<>();

	private final List<ConsumerContainer<?>> containers = new CopyOnWriteArrayList<>();

	/** Notified of each container, also of later ones. */
	private final List<Consumer<ConsumerContainer<?>>> observers = new CopyOnWriteArrayList<>();

	private final boolean keepAlive;

	/** Completes with the stop that follows the last start. */
	private final AtomicReference<CompletableFuture<@Nullable Void>> stopped = new AtomicReference<>(
			CompletableFuture.completedFuture(null));

	private volatile boolean running;

	/**
	 * Creates consumers without containers.
	 * @param keepAlive whether the process stays alive while there are containers
	 */
	public Consumers(ConsumerThreads threads, boolean keepAlive) {
		this.threads = threads;
		this.keepAlive = keepAlive;
	}

	/**
	 * Adds a container. It starts with the application, or now if that runs.
	 */
	public <T> ConsumerContainer<T> add(RedisBackend backend, WorkSource<T> source, WorkHandler<T> handler,
			ConsumerSettings settings) {
		ConsumerContainer<T> added = new ConsumerContainer<>(source, handler, settings, this.threads,
				doorbells(backend));
		this.containers.add(added);
		this.observers.forEach((observer) -> observer.accept(added));
		backend.onRecovery(added::wake);
		if (this.running) {
			added.start();
			keepAlive();
		}
		return added;
	}

	// Not computed in the map, which would be a monitor around a possible wait
	private Doorbells doorbells(RedisBackend backend) {
		Doorbells made = new Doorbells(backend.connection(), this.threads);
		Doorbells known = this.doorbells.putIfAbsent(backend, made);
		if (known == null) {
			backend.bus().handle(Doorbells.TOPIC, made::ring);
		}
		return (known != null) ? known : made;
	}

	/**
	 * Looks at each container, now and whenever one is added.
	 */
	public void forEach(Consumer<ConsumerContainer<?>> observer) {
		this.observers.add(observer);
		this.containers.forEach(observer);
	}

	public List<ConsumerReport> reports() {
		return this.containers.stream().map(ConsumerContainer::report).toList();
	}

	/**
	 * Takes nothing more from a source on this instance, until {@link #resume(String)}.
	 * Work in flight continues.
	 * @return how many containers there are of that name
	 */
	public int pause(String source) {
		return each(source, ConsumerContainer::pause);
	}

	/**
	 * Takes from a source again.
	 * @return how many containers there are of that name
	 */
	public int resume(String source) {
		return each(source, ConsumerContainer::resume);
	}

	/**
	 * Begins to take from a source whose listener has {@code autoStartup = false}, or was
	 * paused: a listener that was not started is one that is paused.
	 * @return how many containers there are of that name
	 */
	public int start(String source) {
		return resume(source);
	}

	private int each(String source, Consumer<ConsumerContainer<?>> action) {
		List<ConsumerContainer<?>> named = this.containers.stream()
			.filter((container) -> container.name().equals(source))
			.toList();
		named.forEach(action);
		return named.size();
	}

	@Override
	public void start() {
		this.running = true;
		this.containers.forEach(ConsumerContainer::start);
		CompletableFuture
			.allOf(this.containers.stream().map(ConsumerContainer::ready).toArray(CompletableFuture[]::new))
			.completeOnTimeout(null, READY.toMillis(), TimeUnit.MILLISECONDS)
			.join();
		keepAlive();
	}

	private void keepAlive() {
		CompletableFuture<@Nullable Void> last = this.stopped.get();
		CompletableFuture<@Nullable Void> next = new CompletableFuture<>();
		if (this.keepAlive && !this.containers.isEmpty() && last.isDone() && this.stopped.compareAndSet(last, next)) {
			// All other threads of the library are daemons
			Thread alive = new Thread(next::join, "ge-redis-consumer-keep-alive");
			alive.setDaemon(false);
			alive.start();
		}
	}

	@Override
	public void stop() {
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		stop(() -> stopped.complete(null));
		stopped.join();
	}

	@Override
	public void stop(Runnable callback) {
		this.running = false;
		CompletableFuture.allOf(this.containers.stream().map(ConsumerContainer::stop).toArray(CompletableFuture[]::new))
			.whenComplete((stopped, failure) -> {
				this.stopped.get().complete(null);
				callback.run();
			});
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
