/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core.outage;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.ge.redis.core.connection.GuardConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Keeps calls from waiting for a Redis that does not answer.
 * <p>
 * Closed, it counts consecutive failures; at the threshold it opens and every call
 * decides locally at once. While it is open it alone asks Redis, on a fresh connection
 * each time, because the old one may hang for ever on a server that was failed over or
 * cut off. The first sign of life closes it, and whoever has something to make good is
 * told.
 * <p>
 * The state is one reference: {@code null} while closed, the cause while open.
 */
public final class Breaker {

	private static final Log logger = LogFactory.getLog(Breaker.class);

	private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);

	private static final long SAME_ERROR_LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final String name;

	private final GuardConnection connection;

	private final Supplier<? extends CompletionStage<?>> write;

	private final OutageSettings settings;

	private final ScheduledExecutorService scheduler;

	private final OutageListener listener;

	private final List<Runnable> firstActions = new CopyOnWriteArrayList<>();

	private final List<Runnable> recoveryActions = new CopyOnWriteArrayList<>();

	private final AtomicInteger failures = new AtomicInteger();

	private final AtomicReference<@Nullable OutageCause> openCause = new AtomicReference<>();

	private final AtomicReference<@Nullable OutageCause> loggedError = new AtomicReference<>();

	private final AtomicLong loggedErrorAt = new AtomicLong();

	/**
	 * Creates a closed breaker.
	 * @param name the name of the connection, for logs and meters
	 * @param connection the connection it guards and probes
	 * @param write a write that changes nothing: a server that answers but takes no
	 * writes is still away
	 * @param settings thresholds
	 * @param scheduler runs the probes
	 * @param listener told of transitions and failures
	 */
	public Breaker(String name, GuardConnection connection, Supplier<? extends CompletionStage<?>> write,
			OutageSettings settings, ScheduledExecutorService scheduler, OutageListener listener) {
		this.name = name;
		this.connection = connection;
		this.write = write;
		this.settings = settings;
		this.scheduler = scheduler;
		this.listener = listener;
	}

	/**
	 * Connects for the first time. If Redis is away the breaker opens and goes on trying.
	 * @return completes when the first attempt has succeeded or failed
	 */
	public CompletionStage<Void> start() {
		CompletableFuture<Void> tried = new CompletableFuture<>();
		this.connection.reopen(PROBE_TIMEOUT).whenComplete((done, failure) -> {
			if (failure != null) {
				open(OutageCause.of(failure), failure);
			}
			tried.complete(null);
		});
		return tried;
	}

	/**
	 * Adds something to send to Redis whenever it answers again, before any call is let
	 * through.
	 * @param action run on a thread that must not be blocked
	 */
	void beforeRecovery(Runnable action) {
		this.firstActions.add(action);
	}

	/**
	 * Adds something to do whenever Redis has come back.
	 * @param action run on a thread that must not be blocked
	 */
	public void onRecovery(Runnable action) {
		this.recoveryActions.add(action);
	}

	/**
	 * Returns whether calls are kept from Redis.
	 * @return whether the breaker is open
	 */
	public boolean isOpen() {
		return this.openCause.get() != null;
	}

	/**
	 * Returns why the breaker is open.
	 * @return the cause, or {@code null} while it is closed
	 */
	public @Nullable OutageCause openCause() {
		return this.openCause.get();
	}

	void succeeded() {
		if (this.failures.get() != 0) {
			this.failures.set(0);
		}
	}

	void failed(String pattern, OutageCause cause, Throwable failure) {
		this.listener.onFailure(pattern, cause);
		if (!cause.opensBreaker()) {
			logPromptError(cause, failure);
			return;
		}
		if (this.failures.incrementAndGet() >= this.settings.failureThreshold()) {
			open(cause, failure);
		}
	}

	private void logPromptError(OutageCause cause, Throwable failure) {
		long now = System.nanoTime();
		boolean known = this.loggedError.getAndSet(cause) == cause
				&& now - this.loggedErrorAt.get() < SAME_ERROR_LOG_NANOS;
		if (!known) {
			this.loggedErrorAt.set(now);
			logger.warn("Redis (" + this.name + ") answers with an error, outage policies apply: " + cause + ", "
					+ rootMessage(failure));
		}
	}

	private void open(OutageCause cause, Throwable failure) {
		if (this.openCause.compareAndSet(null, cause)) {
			logger.warn("Redis (" + this.name + ") is away, outage policies apply until it answers: " + cause + ", "
					+ rootMessage(failure));
			this.listener.onTransition(this.name, true);
			scheduleProbe();
		}
	}

	private void scheduleProbe() {
		later(this::probe);
	}

	/**
	 * Runs something after the time between two probes.
	 */
	void later(Runnable action) {
		try {
			this.scheduler.schedule(action, this.settings.probeInterval().toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// shutting down: nobody asks any more
		}
	}

	private void probe() {
		this.connection.reopen(PROBE_TIMEOUT)
			.thenCompose((done) -> this.write.get()
				.toCompletableFuture()
				.copy()
				.orTimeout(PROBE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
				.handle((reply, refusal) -> refusal == null || !OutageCause.of(refusal).opensBreaker()))
			.whenComplete((usable, failure) -> {
				if (failure != null || !usable) {
					scheduleProbe();
					return;
				}
				close();
			});
	}

	private void close() {
		this.failures.set(0);
		run(this.firstActions);
		this.openCause.set(null);
		logger.info("Redis (" + this.name + ") answers again");
		this.listener.onTransition(this.name, false);
		run(this.recoveryActions);
	}

	private void run(List<Runnable> actions) {
		for (Runnable action : actions) {
			try {
				action.run();
			}
			catch (RuntimeException ex) {
				logger.warn("Recovery after an outage of Redis (" + this.name + ") failed", ex);
			}
		}
	}

	private static String rootMessage(Throwable failure) {
		Throwable root = failure;
		while (root.getCause() != null) {
			root = root.getCause();
		}
		return root.getClass().getSimpleName() + ": " + root.getMessage();
	}

}
