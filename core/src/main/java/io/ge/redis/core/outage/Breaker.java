// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.outage;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.ge.redis.OutageCause;
import io.ge.redis.core.connection.GuardConnection;
import io.ge.redis.core.connection.Shard;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Keeps calls from waiting for a Redis that does not answer.
 * <p>
 * Closed, it counts consecutive failures; at the threshold it opens and every call
 * decides locally at once. While it is open it alone asks Redis, on a fresh connection
 * each time. The old one may hang for ever on a server that was failed over or cut off.
 * The first sign of life closes it; compensations are sent first.
 * <p>
 * On a Cluster whose driver reports which server has a key, each server has a
 * {@link Circuit}. Otherwise a hanging server would never open the breaker, since calls
 * to the others succeed in between. A refusing one would block calls to the others.
 * <ul>
 * <li>A failure counts for the server that had the key when the call was sent.</li>
 * <li>An open circuit refuses the calls on the slots that this server had when it opened.
 * It closes when the present owner of one of them, on a fresh map of the cluster, takes a
 * write. So a failover closes the circuit like a recovery.</li>
 * <li>Calls on other slots, and the connections to their servers, are not affected.</li>
 * </ul>
 * A circuit for the deployment as a whole remains for cases without a single server: no
 * connection at all, one server, and drivers without this report.
 */
public final class Breaker {

	private static final Log logger = LogFactory.getLog(Breaker.class);

	/**
	 * On a Cluster of which one server hangs, the driver waits a second each for the map
	 * and for its first connection.
	 */
	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(2);

	private static final Duration FIRST_ANSWER = Duration.ofSeconds(2);

	private static final long SAME_ERROR_LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final String name;

	private final GuardConnection connection;

	private final String address;

	private final Function<byte @Nullable [], ? extends CompletionStage<?>> write;

	private final OutageSettings settings;

	private final ScheduledExecutorService scheduler;

	private final OutageListener listener;

	private final List<Runnable> firstActions = new CopyOnWriteArrayList<>();

	private final List<Runnable> recoveryActions = new CopyOnWriteArrayList<>();

	/** For the deployment as a whole. */
	private final Circuit whole;

	/** For servers that have failed, by name. */
	private final Map<String, Circuit> servers = new ConcurrentHashMap<>();

	/** When errors were logged, by server and cause. */
	private final Map<String, Long> loggedErrors = new ConcurrentHashMap<>();

	/** Whether Redis has answered since the start. */
	private volatile boolean answered;

	private volatile boolean stopped;

	/**
	 * Creates a closed breaker.
	 * @param name the name of the connection, for logs and meters
	 * @param write a write that changes nothing, in the slot of the given key if there is
	 * one: a server that answers but takes no writes is still away
	 */
	public Breaker(String name, GuardConnection connection,
			Function<byte @Nullable [], ? extends CompletionStage<?>> write, OutageSettings settings,
			ScheduledExecutorService scheduler, OutageListener listener) {
		this.name = name;
		this.connection = connection;
		this.address = connection.address();
		this.write = write;
		this.settings = settings;
		this.scheduler = scheduler;
		this.listener = listener;
		this.whole = new Circuit(name, settings.failureThreshold());
	}

	/**
	 * Connects for the first time. If Redis is unavailable the breaker opens and
	 * continues to try.
	 * @return completes when the first attempt has succeeded or failed
	 */
	public CompletionStage<Void> start() {
		boolean again = this.stopped;
		this.answered = false;
		this.stopped = false;
		return this.connection.reopen(CONNECT_TIMEOUT).<Void>handle((done, failure) -> {
			if (failure != null) {
				open(this.whole, new Circuit.Outage(OutageCauses.ofConnecting(failure), null, null), failure);
			}
			else if (this.whole.openCause() != null) {
				close(this.whole);
			}
			else if (again) {
				// Work that was deferred while it was stopped
				run(this.firstActions);
				run(this.recoveryActions);
			}
			return null;
		});
	}

	/** Refuses all calls until the next start. Failures meanwhile are no outage. */
	public void stop() {
		this.stopped = true;
	}

	/** Returns the time for which a call may wait for Redis. Much is slow only once. */
	Duration patience() {
		Duration usual = this.settings.commandTimeout();
		return (this.answered || usual.compareTo(FIRST_ANSWER) > 0) ? usual : FIRST_ANSWER;
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
	 * Adds an action for each time when Redis is available again.
	 * @param action run on a thread that must not be blocked
	 */
	public void onRecovery(Runnable action) {
		this.recoveryActions.add(action);
	}

	/**
	 * Returns whether calls to Redis, or to some of its servers, are refused.
	 */
	public boolean isOpen() {
		return openCause() != null;
	}

	/**
	 * Returns why calls to Redis, or to some of its servers, are refused.
	 */
	public @Nullable OutageCause openCause() {
		return openCause(Circuit::openCause);
	}

	/**
	 * Returns why calls on a key are refused.
	 */
	@Nullable OutageCause openCause(byte @Nullable [] key) {
		return (key != null && !this.servers.isEmpty()) ? openCause((server) -> server.openCause(key)) : openForAll();
	}

	private @Nullable OutageCause openForAll() {
		return this.stopped ? OutageCause.CLOSED : this.whole.openCause();
	}

	private @Nullable OutageCause openCause(Function<Circuit, @Nullable OutageCause> ofServer) {
		OutageCause cause = openForAll();
		if (this.servers.isEmpty()) {
			return cause;
		}
		for (Circuit server : this.servers.values()) {
			cause = (cause != null) ? cause : ofServer.apply(server);
		}
		return cause;
	}

	/**
	 * Returns the circuit to ask about a key. The caller must return it with the outcome.
	 */
	@Nullable Shard shardOf(byte @Nullable [] key) {
		return (key != null) ? this.connection.shardOf(key) : null;
	}

	/** Returns the server that was asked, or the configured ones, for messages. */
	String server(@Nullable Shard shard) {
		return (shard != null) ? shard.server() : this.address;
	}

	/** Returns the server from which calls on a key are kept, for messages. */
	String closedServer(byte @Nullable [] key) {
		return (key == null || openForAll() != null) ? this.address
				: this.servers.entrySet()
					.stream()
					.filter((server) -> server.getValue().openCause(key) != null)
					.map(Map.Entry::getKey)
					.findFirst()
					.orElseGet(() -> server(shardOf(key)));
	}

	private String where(Circuit circuit) {
		return (circuit == this.whole) ? this.name + " at " + server(null) : circuit.name();
	}

	void succeeded(@Nullable Shard shard) {
		if (!this.answered) {
			this.answered = true;
		}
		this.whole.succeeded();
		if (shard != null && !this.servers.isEmpty()) {
			Circuit server = this.servers.get(shard.server());
			if (server != null) {
				server.succeeded();
			}
		}
	}

	void failed(String pattern, @Nullable Shard shard, byte @Nullable [] key, OutageCause cause, Throwable failure) {
		if (this.stopped) {
			return;
		}
		this.listener.onFailure(pattern, cause);
		if (!cause.opensBreaker()) {
			logPromptError(this.name + " at " + server(shard), cause, failure);
			return;
		}
		Circuit circuit = (shard == null) ? this.whole : this.servers.computeIfAbsent(shard.server(),
				(server) -> new Circuit(this.name + " at " + server, this.settings.failureThreshold()));
		if (circuit.failed()) {
			// Without a known server no single slot is probed, which may be the bad one
			open(circuit, new Circuit.Outage(cause, shard, (shard != null) ? key : null), failure);
		}
	}

	private void logPromptError(String where, OutageCause cause, Throwable failure) {
		long now = System.nanoTime();
		long logged = this.loggedErrors.merge(where + cause, now,
				(before, again) -> (again - before < SAME_ERROR_LOG_NANOS) ? before : again);
		if (logged == now) {
			logger.warn("Redis (" + where + ") answers with an error, outage policies apply: " + cause + ", "
					+ rootMessage(failure));
		}
	}

	private void open(Circuit circuit, Circuit.Outage outage, Throwable failure) {
		if (!this.stopped && circuit.open(outage)) {
			String message = "Redis (" + where(circuit) + ") is unavailable, outage policies apply until it answers: "
					+ outage.cause() + ", " + rootMessage(failure) + ". " + outage.cause().hint() + ".";
			// Waiting does not help
			if (outage.cause() == OutageCause.CREDENTIALS || outage.cause() == OutageCause.TLS) {
				logger.error(message);
			}
			else {
				logger.warn(message);
			}
			later(() -> probe(circuit, outage.key()));
			if (outage.shard() != null) {
				// A late failure may open a circuit that was closed and forgotten
				// meanwhile
				this.servers.putIfAbsent(outage.shard().server(), circuit);
			}
			this.listener.onTransition(circuit.name(), true);
		}
	}

	/**
	 * Runs something after the time between two probes.
	 */
	void later(Runnable action) {
		try {
			this.scheduler.schedule(action, this.settings.probeInterval().toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// shutting down: no call follows
		}
	}

	private void probe(Circuit circuit, byte @Nullable [] key) {
		CompletionStage<Void> alive = (key != null && circuit != this.whole)
				? this.connection.awaken(key, CONNECT_TIMEOUT) : this.connection.reopen(CONNECT_TIMEOUT);
		alive
			.thenCompose((done) -> this.write.apply(key)
				.toCompletableFuture()
				.copy()
				.orTimeout(WRITE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
				.handle((reply, refusal) -> refusal == null || !OutageCauses.of(refusal).opensBreaker()))
			.whenComplete((usable, failure) -> {
				if (failure != null || !usable) {
					later(() -> probe(circuit, key));
					return;
				}
				close(circuit);
			});
	}

	private void close(Circuit circuit) {
		this.answered = true;
		circuit.succeeded();
		run(this.firstActions);
		circuit.close();
		this.servers.values().remove(circuit);
		logger.info("Redis (" + where(circuit) + ") answers again");
		this.listener.onTransition(circuit.name(), false);
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
		Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
		String type = root.getClass().getSimpleName();
		return (root.getMessage() != null) ? type + ": " + root.getMessage().replaceFirst("\\.$", "") : type;
	}

}
