// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.ge.redis.GuardConfigurationException;
import io.ge.redis.OutageCause;
import io.ge.redis.RedisUnavailableException;
import io.ge.redis.core.connection.DaemonThreads;
import io.ge.redis.core.outage.Waiting;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * The deployments that the application's guards use, by the name of the connection
 * factory. Starts after the connection factories and stops after everything that serves
 * requests or runs tasks.
 */
public final class RedisBackends implements SmartLifecycle, AutoCloseable {

	/**
	 * After Spring Data's connection factories (phase 0), before servers and executors.
	 */
	public static final int PHASE = 1000;

	private static final String PRIMARY = "default";

	/** The longest wait of a start, whether Redis answers or not. */
	private static final Duration WARM_UP = Duration.ofSeconds(2);

	/** Longer than an attempt to connect. */
	private static final Duration REQUIRED = Duration.ofSeconds(10);

	private final BiFunction<String, @Nullable String, Supplier<RedisBackend>> factory;

	private final boolean required;

	private final Map<String, RedisBackend> backends = new LinkedHashMap<>();

	private final Lock lock = new ReentrantLock();

	private volatile boolean running;

	private boolean stopped;

	/**
	 * Creates the registry.
	 * @param factory finds a connection factory bean by the property that names it and by
	 * its name, and returns what makes its backend; {@code null} names the application's
	 * only or primary one
	 * @param required whether the start fails if Redis cannot be used
	 */
	public RedisBackends(BiFunction<String, @Nullable String, Supplier<RedisBackend>> factory, boolean required) {
		this.factory = factory;
		this.required = required;
	}

	/**
	 * Returns the backend of a connection factory that no property names.
	 */
	public RedisBackend get(@Nullable String connectionFactory) {
		return get("ge.redis.<pattern>.connection-factory", connectionFactory);
	}

	/**
	 * Returns the backend of a connection factory.
	 * @param connectionFactory the bean name, or {@code null} or empty for the
	 * application's only or primary one
	 * @return the backend, connecting if the application has started
	 */
	public RedisBackend get(String property, @Nullable String connectionFactory) {
		String name = name(connectionFactory);
		this.lock.lock();
		try {
			RedisBackend backend = this.backends.get(name);
			if (backend == null) {
				DaemonThreads.startTimer();
				backend = this.factory.apply(property, name.equals(PRIMARY) ? null : name).get();
				this.backends.put(name, backend);
				backend.start(!this.running);
			}
			return backend;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static String name(@Nullable String connectionFactory) {
		return (connectionFactory == null || connectionFactory.isEmpty()) ? PRIMARY : connectionFactory;
	}

	/**
	 * Returns all connections in use; connections of consumers are named
	 * {@code <name>.consumers}.
	 */
	public Map<String, RedisBackend> all() {
		this.lock.lock();
		try {
			Map<String, RedisBackend> all = new LinkedHashMap<>(this.backends);
			this.backends.forEach((name, backend) -> {
				RedisBackend consumers = backend.consumers();
				if (consumers != null) {
					all.put(name + ".consumers", consumers);
				}
			});
			return all;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void start() {
		List<RedisBackend> started;
		this.lock.lock();
		try {
			this.running = true;
			if (this.stopped) {
				this.stopped = false;
				this.backends.values().forEach((backend) -> backend.start(true));
			}
			started = List.copyOf(this.backends.values());
		}
		finally {
			this.lock.unlock();
		}
		warmUp(started);
	}

	// Unfinished steps continue in the background
	private void warmUp(List<RedisBackend> started) {
		CompletableFuture<?>[] warm = started.stream().map(RedisBackend::warmUp).toArray(CompletableFuture[]::new);
		try {
			CompletableFuture.allOf(warm).get((this.required ? REQUIRED : WARM_UP).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			requireUsable(new InterruptedException("The start was interrupted"));
		}
		catch (TimeoutException ex) {
			requireUsable(new TimeoutException("It does not answer"));
		}
		catch (ExecutionException ex) {
			requireUsable((ex.getCause() != null) ? Waiting.cause(ex.getCause()) : ex);
		}
	}

	private void requireUsable(Throwable failure) {
		if (!this.required) {
			return;
		}
		OutageCause reason = (failure instanceof RedisUnavailableException unavailable) ? unavailable.reason()
				: OutageCause.TIMEOUT;
		throw new GuardConfigurationException("ge.redis.startup=require",
				"Redis cannot be used. " + failure.getMessage(),
				reason.hint() + ". Set ge.redis.startup=lenient to start without Redis.", failure);
	}

	@Override
	public void stop() {
		this.lock.lock();
		try {
			this.running = false;
			this.stopped = true;
			this.backends.values().forEach(RedisBackend::stop);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void close() {
		stop();
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
