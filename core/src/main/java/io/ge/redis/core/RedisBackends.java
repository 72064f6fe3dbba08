/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.ge.redis.core.connection.DaemonThreads;
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

	private final BiFunction<String, @Nullable String, Supplier<RedisBackend>> factory;

	private final Map<String, RedisBackend> backends = new LinkedHashMap<>();

	private final Set<String> connecting = ConcurrentHashMap.newKeySet();

	private final Lock lock = new ReentrantLock();

	private volatile boolean running;

	private boolean stopped;

	/**
	 * Creates the registry.
	 * @param factory finds a connection factory bean by the property that names it and by
	 * its name, or the application's only or primary one for {@code null}, and returns
	 * what makes its backend, on any thread
	 */
	public RedisBackends(BiFunction<String, @Nullable String, Supplier<RedisBackend>> factory) {
		this.factory = factory;
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
		return get(name(connectionFactory), () -> find(property, name(connectionFactory)));
	}

	private RedisBackend get(String name, Supplier<Supplier<RedisBackend>> found) {
		this.lock.lock();
		try {
			RedisBackend backend = this.backends.get(name);
			if (backend == null) {
				DaemonThreads.startTimer();
				backend = found.get().get();
				this.backends.put(name, backend);
				// A call that comes first waits within its own budget
				backend.start(!this.running);
			}
			return backend;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Begins to connect to a backend on another thread, while the application starts. A
	 * {@link #get(String, String)} in the meantime waits for it.
	 */
	public void connect(String property, @Nullable String connectionFactory) {
		String name = name(connectionFactory);
		if (this.connecting.add(name)) {
			Supplier<RedisBackend> found = find(property, name);
			DaemonThreads.named("ge-redis-connect").newThread(() -> connect(name, found)).start();
		}
	}

	private void connect(String name, Supplier<RedisBackend> found) {
		this.lock.lock();
		try {
			if (!this.stopped) {
				get(name, () -> found);
			}
		}
		catch (RuntimeException ex) {
			// The one that asks for it next has the same failure
		}
		finally {
			this.lock.unlock();
		}
	}

	private Supplier<RedisBackend> find(String property, String name) {
		return this.factory.apply(property, name.equals(PRIMARY) ? null : name);
	}

	private static String name(@Nullable String connectionFactory) {
		return (connectionFactory == null || connectionFactory.isEmpty()) ? PRIMARY : connectionFactory;
	}

	public Map<String, RedisBackend> all() {
		this.lock.lock();
		try {
			return Map.copyOf(this.backends);
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void start() {
		this.lock.lock();
		try {
			this.running = true;
			if (this.stopped) {
				this.stopped = false;
				this.backends.values().forEach((backend) -> backend.start(true));
			}
		}
		finally {
			this.lock.unlock();
		}
		all().values().forEach(RedisBackend::teachScripts);
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
