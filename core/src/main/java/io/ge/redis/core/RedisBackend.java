// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.ge.redis.core.bus.InstanceBus;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.key.KeyPart;
import io.ge.redis.core.key.KeySpace;
import io.ge.redis.core.outage.Breaker;
import io.ge.redis.core.outage.Compensations;
import io.ge.redis.core.outage.GuardedRedis;
import io.ge.redis.core.outage.OutageListener;
import io.ge.redis.core.outage.OutageSettings;
import io.ge.redis.core.outage.Waiting;
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

	private static final LuaScript PROBE = LuaScript.load(RedisBackend.class, "probe.lua");

	private final String name;

	private final String prefix;

	private final GuardConnection connection;

	private final ScriptExecutor scripts;

	private final Breaker breaker;

	private final Compensations compensations;

	private final InstanceBus bus;

	private final OutageSettings outage;

	private final ScheduledExecutorService scheduler;

	private final ScriptListener scriptListener;

	private final OutageListener outageListener;

	private final List<Runnable> recoveryActions = new CopyOnWriteArrayList<>();

	private final Lock lock = new ReentrantLock();

	private volatile @Nullable RedisBackend consumers;

	private final @Nullable Registration registration;

	private final List<Supplier<@Nullable String>> problems = new CopyOnWriteArrayList<>();

	private final Set<String> patterns = ConcurrentHashMap.newKeySet();

	private final List<CompletableFuture<?>> needed = new CopyOnWriteArrayList<>();

	private volatile boolean warmUpFollows;

	private volatile CompletionStage<?> connected = new CompletableFuture<>();

	private @Nullable Future<?> registering;

	/**
	 * Puts the parts together. Nothing is connected before {@link #start(boolean)}.
	 * @param name the name of the connection factory, for logs and meters
	 * @param application the name of the application, or {@code null} if it has none
	 */
	public RedisBackend(String name, String prefix, @Nullable String application, String instanceId,
			GuardConnection connection, OutageSettings outage, ScheduledExecutorService scheduler,
			ScriptListener scriptListener, OutageListener outageListener) {
		this(name, prefix, application, connection, new InstanceBus(connection, scheduler, prefix, instanceId), outage,
				scheduler, scriptListener, outageListener);
		this.problems.add(this.bus::problem);
	}

	private RedisBackend(String name, String prefix, @Nullable String application, GuardConnection connection,
			InstanceBus bus, OutageSettings outage, ScheduledExecutorService scheduler, ScriptListener scriptListener,
			OutageListener outageListener) {
		this.name = name;
		this.prefix = prefix;
		this.connection = connection;
		this.scripts = new ScriptExecutor(connection, scriptListener);
		this.breaker = new Breaker(name, connection, this::tryToWrite, outage, scheduler, outageListener);
		this.compensations = new Compensations(this.scripts, this.breaker, outage.failoverRepair());
		if (!outage.failoverRepair().isZero()) {
			connection.onNewPrimary(this.compensations::onNewPrimary);
		}
		this.bus = bus;
		this.outage = outage;
		this.scheduler = scheduler;
		this.scriptListener = scriptListener;
		this.outageListener = outageListener;
		this.registration = (application != null)
				? new Registration(this.scripts, keys("core").entity(KeyPart.of("applications")), prefix, application)
				: null;
	}

	/**
	 * Returns the same deployment for consumers: with a connection and a breaker of its
	 * own, so that large replies to them delay no guard and open no breaker of guards.
	 * Connects on first use.
	 */
	public RedisBackend forConsumers() {
		this.lock.lock();
		try {
			RedisBackend known = this.consumers;
			if (known == null) {
				known = new RedisBackend(this.name + ".consumers", this.prefix, null, this.connection.another(),
						this.bus, this.outage, this.scheduler, this.scriptListener, this.outageListener);
				known.breaker.onRecovery(() -> this.recoveryActions.forEach(Runnable::run));
				known.breaker.start();
				this.consumers = known;
			}
			return known;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Nullable RedisBackend consumers() {
		return this.consumers;
	}

	/**
	 * Begins to connect, at first or again after {@link #stop()}.
	 * @param warmUpFollows whether the application starts, and warms up when all patterns
	 * in use are known
	 */
	public void start(boolean warmUpFollows) {
		this.warmUpFollows = warmUpFollows;
		this.connection.restart();
		this.bus.start();
		this.connected = this.breaker.start();
		if (this.registration != null) {
			this.registering = this.scheduler.scheduleWithFixedDelay(this.registration::renew, 0,
					Registration.PERIOD.toMillis(), TimeUnit.MILLISECONDS);
		}
		RedisBackend known = this.consumers;
		if (known != null) {
			known.connection.restart();
			known.breaker.start();
		}
	}

	/**
	 * Loads the scripts of the patterns in use into the server, then makes one round trip
	 * for each pattern. So no guarded call pays for what is slow only once.
	 * @return completes once the first attempt to connect has ended and what followed it,
	 * exceptionally if Redis cannot be used
	 */
	public CompletableFuture<?> warmUp() {
		this.warmUpFollows = false;
		return this.connected.thenCompose((tried) -> this.scripts.teach(LuaScript.loaded()))
			.thenCompose((taught) -> CompletableFuture.allOf(this.needed.toArray(CompletableFuture[]::new)))
			.thenCompose((taught) -> CompletableFuture
				.allOf(this.patterns.stream().map(this::tryPattern).toArray(CompletableFuture[]::new)))
			.toCompletableFuture();
	}

	/**
	 * Waits for what the first call needs, whether it succeeds or fails: with the
	 * warm-up, or now if none follows.
	 */
	public void await(CompletableFuture<?> first) {
		CompletableFuture<?> ended = first.handle((done, failure) -> true);
		if (this.warmUpFollows) {
			this.needed.add(ended);
		}
		else {
			Waiting.await(ended);
		}
	}

	private CompletableFuture<?> tryPattern(String pattern) {
		GuardedRedis redis = redis(pattern);
		return redis.run(probe(pattern), redis.newBudget());
	}

	public void stop() {
		this.breaker.stop();
		if (this.registering != null) {
			this.registering.cancel(false);
		}
		this.bus.stop();
		this.connection.close();
		RedisBackend known = this.consumers;
		if (known != null) {
			known.breaker.stop();
			known.connection.close();
		}
	}

	// Without a key not on a cluster, where it would tell of one slot only
	private CompletionStage<?> tryToWrite(byte @Nullable [] key) {
		if (key != null) {
			return this.scripts.run(ScriptCall.beside(PROBE, key, ":probe"));
		}
		return this.connection.isClustered() ? CompletableFuture.completedFuture(null)
				: this.scripts.run(probe("probe"));
	}

	private ScriptCall probe(String pattern) {
		return ScriptCall.of(PROBE, keys(pattern).entity(KeyPart.of("probe")));
	}

	public GuardedRedis redis(String pattern) {
		this.patterns.add(pattern);
		return new GuardedRedis(pattern, this.scripts, this.breaker, this.compensations);
	}

	public KeySpace keys(String pattern) {
		return new KeySpace(this.prefix, pattern);
	}

	public InstanceBus bus() {
		return this.bus;
	}

	/**
	 * Adds something to do whenever Redis has come back, for guards or for consumers.
	 * @param action must not block
	 */
	public void onRecovery(Runnable action) {
		this.breaker.onRecovery(action);
		this.recoveryActions.add(action);
	}

	/**
	 * Adds a problem to the health.
	 * @param problem called with each health check; returns the problem of guards on this
	 * Redis although it answers, or {@code null}; must not block
	 */
	public void reportProblem(Supplier<@Nullable String> problem) {
		this.problems.add(problem);
	}

	/**
	 * Returns the present problems of guards although Redis answers.
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
