/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.core;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.Breaker;
import io.ge.redis.core.outage.CallBudget;
import io.ge.redis.core.outage.Compensations;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptCall;
import io.ge.redis.core.script.ScriptExecutor;
import io.ge.redis.core.script.ScriptListener;
import org.jspecify.annotations.Nullable;

/**
 * One Redis deployment as the guards see it: connection, breaker, scripts, compensations
 * and bus. Patterns that use the same connection factory share one.
 */
public final class RedisBackend {

	/**
	 * How long the start of the application waits for a first connection, longer if calls
	 * may wait longer. Not a condition: the application starts with Redis down.
	 */
	private static final Duration FIRST_CONNECTION = Duration.ofMillis(1500);

	private static final LuaScript PROBE = LuaScript.load(RedisBackend.class, "probe.lua");

	private final String prefix;

	private final OutageSettings outage;

	private final GuardConnection connection;

	private final ScriptExecutor scripts;

	private final Breaker breaker;

	private final Compensations compensations;

	private final InstanceBus bus;

	private final ScheduledExecutorService scheduler;

	private final @Nullable Registration registration;

	private final List<Supplier<@Nullable String>> problems = new CopyOnWriteArrayList<>();

	private volatile CompletableFuture<?> ready = new CompletableFuture<>();

	private @Nullable Future<?> registering;

	/**
	 * Puts the parts together. Nothing is connected before {@link #start(boolean)}.
	 * @param name the name of the connection factory, for logs and meters
	 * @param application the name of the application, or {@code null} if it has none
	 */
	public RedisBackend(String name, String prefix, @Nullable String application, String instanceId,
			GuardConnection connection, OutageSettings outage, ScheduledExecutorService scheduler,
			ScriptListener scriptListener, OutageListener outageListener) {
		this.prefix = prefix;
		this.outage = outage;
		this.connection = connection;
		this.scripts = new ScriptExecutor(connection, scriptListener);
		this.breaker = new Breaker(name, connection, this::tryToWrite, outage, scheduler, outageListener);
		this.compensations = new Compensations(this.scripts, this.breaker);
		this.bus = new InstanceBus(connection, scheduler, prefix, instanceId);
		this.problems.add(this.bus::problem);
		this.scheduler = scheduler;
		this.registration = (application != null)
				? new Registration(this.scripts, keys("core").entity(KeyPart.of("applications")), prefix, application)
				: null;
	}

	/**
	 * Connects, at first or again after {@link #stop()}, and sends a first script, so
	 * that no guarded call pays for what a driver does only once.
	 * @param patiently whether to wait a moment for it, so that the first calls find a
	 * connection
	 */
	public void start(boolean patiently) {
		this.connection.restart();
		this.bus.start();
		CompletableFuture<?> ready = this.breaker.start().thenCompose((tried) -> warmUp()).toCompletableFuture();
		this.ready = ready;
		if (this.registration != null) {
			this.registering = this.scheduler.scheduleWithFixedDelay(this.registration::renew, 0,
					Registration.PERIOD.toMillis(), TimeUnit.MILLISECONDS);
		}
		if (patiently) {
			await(ready);
		}
	}

	/**
	 * Teaches the server the scripts of the patterns in use. Nobody waits for it: calls
	 * follow on the same connection, and a script that is still unknown is sent again.
	 */
	void teachScripts() {
		this.ready.thenCompose((done) -> teach());
	}

	private CompletionStage<?> teach() {
		return this.breaker.isOpen() ? CompletableFuture.completedFuture(null) : this.scripts.teach(LuaScript.loaded());
	}

	private CompletionStage<?> warmUp() {
		return redis("core").run(probe(), CallBudget.of(patience())).handle((reply, failure) -> true);
	}

	private Duration patience() {
		Duration call = this.outage.commandTimeout();
		return (call.compareTo(FIRST_CONNECTION) > 0) ? call : FIRST_CONNECTION;
	}

	private void await(CompletionStage<?> ready) {
		try {
			ready.toCompletableFuture().get(patience().toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (TimeoutException ex) {
			// goes on in the background
		}
		catch (java.util.concurrent.ExecutionException ex) {
			throw new IllegalStateException("The first attempt never fails", ex);
		}
	}

	public void stop() {
		if (this.registering != null) {
			this.registering.cancel(false);
		}
		this.bus.stop();
		this.connection.close();
	}

	// Without a key not on a cluster, where it would tell of one slot only
	private CompletionStage<?> tryToWrite(byte @Nullable [] key) {
		if (key != null) {
			return this.scripts.run(ScriptCall.beside(PROBE, key, ":probe"));
		}
		return this.connection.isClustered() ? CompletableFuture.completedFuture(null) : this.scripts.run(probe());
	}

	private ScriptCall probe() {
		return ScriptCall.of(PROBE, keys("probe").entity(KeyPart.of("breaker")));
	}

	public GuardedRedis redis(String pattern) {
		return new GuardedRedis(pattern, this.scripts, this.breaker, this.compensations, this.outage.commandTimeout());
	}

	public KeySpace keys(String pattern) {
		return new KeySpace(this.prefix, pattern);
	}

	public InstanceBus bus() {
		return this.bus;
	}

	/**
	 * Adds something for the health to show.
	 * @param problem asked with each look at the health; returns what hinders guards on
	 * this Redis although it answers, or {@code null}; must not block
	 */
	public void reportProblem(Supplier<@Nullable String> problem) {
		this.problems.add(problem);
	}

	/**
	 * Returns what hinders guards at present although Redis answers.
	 * @return sentences that say what to do, mostly none
	 */
	public List<String> problems() {
		return this.problems.stream().map(Supplier::get).filter(Objects::nonNull).toList();
	}

	public Breaker breaker() {
		return this.breaker;
	}

	public GuardConnection connection() {
		return this.connection;
	}

}
