// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.UnblockType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connection of the guards, on Lettuce's asynchronous API.
 * <p>
 * On a standalone server (also behind Sentinel) the driver's own reconnecting is off: it
 * would replay commands whose callers have given up, with a delay that grows to half a
 * minute. Instead a lost connection is replaced at once, and by {@link #reopen} as often
 * as the breaker asks. The outcome of commands that were under way on it is unknown. The
 * server reads them before commands on the fresh connection, since it accepts a new
 * client after it has read its present ones. On a cluster the driver revives connections
 * by itself, and {@link LettuceShards} handles the rest.
 */
final class LettuceGuardConnection implements GuardConnection {

	private static final Duration FIRST_TRY = Duration.ofSeconds(2);

	private static final long RETRY_MILLIS = 250;

	private static final long UNKNOWN_CLIENT = -1;

	private static final long RETIREMENT_MILLIS = 1000;

	private final LettuceConnectionFactory application;

	private final AtomicReference<LettuceLink> current = new AtomicReference<>(LettuceLink.none(null));

	/** The attempts to open a connection that have not ended. */
	private final Set<CompletableFuture<?>> attempts = ConcurrentHashMap.newKeySet();

	/** Connections for {@code WAIT} that are not known to be lost. */
	private final Set<LettuceReplicatedConnection> replicated = ConcurrentHashMap.newKeySet();

	/** Connections for blocking commands that are not known to be lost. */
	private final Set<LettuceBlockingConnection> blocking = ConcurrentHashMap.newKeySet();

	private final List<Runnable> newPrimaryActions = new CopyOnWriteArrayList<>();

	private volatile Client client;

	private volatile boolean closed;

	LettuceGuardConnection(LettuceConnectionFactory application) {
		this.application = application;
		this.client = Client.of(application, this::followNewPrimary);
	}

	private void followNewPrimary() {
		// Calls wait for the next connection rather than being refused by this one
		replace(this.current.get());
		this.newPrimaryActions.forEach(Runnable::run);
	}

	@Override
	public void onNewPrimary(Runnable action) {
		this.newPrimaryActions.add(action);
	}

	@Override
	public GuardConnection another() {
		return new LettuceGuardConnection(this.application);
	}

	@Override
	public void restart() {
		if (this.closed) {
			this.client = Client.of(this.application, this::followNewPrimary);
			this.closed = false;
		}
	}

	@Override
	public CompletionStage<List<?>> evalSha(String sha, byte[][] keys, byte[][] arguments) {
		return send((commands) -> commands.dispatch(CommandType.EVALSHA, new ReplyElements(),
				ReplyElements.arguments().add(sha).add(keys.length).addKeys(keys).addValues(arguments)));
	}

	@Override
	public CompletionStage<List<?>> eval(byte[] text, byte[][] keys, byte[][] arguments) {
		return send((commands) -> commands.dispatch(CommandType.EVAL, new ReplyElements(),
				ReplyElements.arguments().add(text).add(keys.length).addKeys(keys).addValues(arguments)));
	}

	@Override
	public CompletionStage<List<?>> send(String command, byte[] key, byte[][] arguments) {
		boolean reads = command.equals(CommandType.XREADGROUP.name());
		CommandArgs<byte[], byte[]> all = ReplyElements.arguments();
		for (int i = 0; i <= arguments.length; i++) {
			if (i == (reads ? arguments.length - 1 : 0)) {
				all.addKey(key);
			}
			if (i < arguments.length) {
				all.addValue(arguments[i]);
			}
		}
		return send((commands) -> commands.dispatch(CommandType.valueOf(command), new ReplyElements(reads), all));
	}

	@Override
	public CompletionStage<?> load(byte[] text) {
		return send((commands) -> commands.scriptLoad(text));
	}

	@Override
	public CompletionStage<Integer> publish(byte[] channel, byte[] message) {
		return send((commands) -> commands.publish(channel, message)).thenApply(Math::toIntExact);
	}

	private <T> CompletionStage<T> send(Send<T> send) {
		LettuceLink link = this.current.get();
		if (link.commands() != null) {
			return send(link.commands(), send);
		}
		if (link.pending() != null) {
			return link.pending().thenCompose((opened) -> send(opened, send));
		}
		return CompletableFuture.failedFuture(new NotConnectedException("Not connected to Redis", link.failure()));
	}

	private static <T> CompletionStage<T> send(RedisClusterAsyncCommands<byte[], byte[]> commands, Send<T> send) {
		try {
			return send.with(commands);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(new NotConnectedException("The driver refused the command", ex));
		}
	}

	@Override
	public CompletionStage<Void> reopen(Duration timeout) {
		LettuceLink link = this.current.get();
		return ((link.pending() != null) ? link.pending() : open(link, timeout)).thenAccept((commands) -> {
		});
	}

	@Override
	public @Nullable Shard shardOf(byte[] key) {
		StatefulRedisClusterConnection<byte[], byte[]> cluster = cluster();
		return (cluster != null) ? LettuceShards.shardOf(cluster, key) : null;
	}

	@Override
	public CompletionStage<Void> awaken(byte[] key, Duration timeout) {
		StatefulRedisClusterConnection<byte[], byte[]> cluster = cluster();
		if (cluster == null) {
			return CompletableFuture.failedFuture(new NotConnectedException("Not connected to a cluster", null));
		}
		return this.client.shards()
			.awaken(cluster, key, () -> reopen(timeout))
			.toCompletableFuture()
			.copy()
			.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
	}

	private @Nullable StatefulRedisClusterConnection<byte[], byte[]> cluster() {
		return this.current.get().cluster();
	}

	private CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> open(LettuceLink replaced, Duration timeout) {
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> pending = new CompletableFuture<>();
		// While the breaker probes, calls are refused by it; only a first or lost
		// connection is waited for
		LettuceLink waiting = (replaced.commands() != null) ? replaced : LettuceLink.pending(pending);
		if (this.closed || !this.current.compareAndSet(replaced, waiting)) {
			pending.completeExceptionally(new NotConnectedException("Already connecting or closed", null));
			return pending;
		}
		this.attempts.add(pending);
		try {
			this.client.connector().execute(() -> connect(waiting, replaced.connection(), pending));
			this.client.connector()
				.schedule(
						() -> pending.completeExceptionally(new NotConnectedException("Not connected to Redis",
								new TimeoutException("No connection within " + timeout.toMillis() + " ms"))),
						timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RuntimeException ex) {
			pending.completeExceptionally(new NotConnectedException("Closed", ex));
		}
		pending.whenComplete((commands, failure) -> {
			this.attempts.remove(pending);
			if (failure != null && waiting.pending() != null) {
				this.current.compareAndSet(waiting, LettuceLink.none(failure));
			}
		});
		return pending;
	}

	private void connect(LettuceLink waiting, @Nullable StatefulConnection<byte[], byte[]> old,
			CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> pending) {
		this.client.factory().open().whenComplete((connection, failure) -> {
			if (failure != null) {
				if (isSlow(failure) && !pending.isDone()) {
					this.client.connector().execute(() -> connect(waiting, old, pending));
				}
				else {
					pending.completeExceptionally(failure);
				}
				return;
			}
			RedisClusterAsyncCommands<byte[], byte[]> commands = LettuceLink.commandsOf(connection);
			LettuceLink link = LettuceLink.open(connection, commands);
			if (pending.isDone() || !this.current.compareAndSet(waiting, link)) {
				connection.closeAsync();
				pending.completeExceptionally(new NotConnectedException("Connected too late", null));
				return;
			}
			LettuceLink.onLost(connection, () -> replace(link));
			if (old != null) {
				retire(old);
			}
			pending.complete(commands);
			if (this.closed) {
				connection.closeAsync();
			}
		});
	}

	/** Slowness is no refusal, and the attempt has its own end. */
	private static boolean isSlow(Throwable failure) {
		return NestedExceptionUtils.getMostSpecificCause(failure) instanceof RedisCommandTimeoutException;
	}

	/**
	 * Commands to healthy servers of a cluster are completed first.
	 */
	private void retire(StatefulConnection<byte[], byte[]> old) {
		if (!(old instanceof StatefulRedisClusterConnection)) {
			old.closeAsync();
			return;
		}
		try {
			this.client.connector().schedule(old::closeAsync, RETIREMENT_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			old.closeAsync();
		}
	}

	private void replace(LettuceLink lost) {
		if (lost.connection() == null || lost.connection() instanceof StatefulRedisClusterConnection) {
			return;
		}
		LettuceLink empty = LettuceLink.none(null);
		if (!this.closed && this.current.compareAndSet(lost, empty)) {
			lost.connection().closeAsync();
			openUntilDone(empty);
		}
	}

	private void openUntilDone(LettuceLink empty) {
		open(empty, FIRST_TRY).whenComplete((commands, failure) -> {
			if (failure != null) {
				openLater();
			}
		});
	}

	/**
	 * Without calls the breaker, which probes Redis, would stay closed. The first calls
	 * after an outage would pay for it.
	 */
	private void openLater() {
		try {
			this.client.connector().schedule(() -> {
				LettuceLink link = this.current.get();
				if (link.connection() == null && link.pending() == null) {
					openUntilDone(link);
				}
			}, RETRY_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// closed
		}
	}

	@Override
	public PushSubscription subscribe(PushSubscriber subscriber, List<byte[]> channels) {
		Client used = this.client;
		LettucePushSubscription subscription = new LettucePushSubscription(used.factory(), used.connector(), subscriber,
				channels);
		subscription.start();
		return subscription;
	}

	@Override
	public CompletionStage<ReplicatedConnection> openReplicated(@Nullable String server) {
		try {
			// The first reading of a cluster's map blocks
			return CompletableFuture
				.supplyAsync(() -> this.client.factory().openReplicated(server), this.client.connector())
				.thenCompose((opening) -> opening)
				.handle(this::opened);
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.failedFuture(new NotConnectedException("Closed", ex));
		}
	}

	private ReplicatedConnection opened(@Nullable LettuceReplicatedConnection connection, @Nullable Throwable failure) {
		if (connection == null) {
			throw new NotConnectedException("Not connected to Redis", failure);
		}
		for (LettuceReplicatedConnection former : this.replicated) {
			if (!former.isOpen()) {
				this.replicated.remove(former);
			}
		}
		this.replicated.add(connection);
		if (this.closed) {
			connection.close();
		}
		return connection;
	}

	@Override
	public CompletionStage<BlockingConnection> openBlocking() {
		CompletableFuture<BlockingConnection> opened = new CompletableFuture<>();
		try {
			this.client.connector().execute(() -> openBlocking(opened));
		}
		catch (RejectedExecutionException ex) {
			opened.completeExceptionally(new NotConnectedException("Closed", ex));
		}
		return opened;
	}

	private void openBlocking(CompletableFuture<BlockingConnection> opened) {
		try {
			this.client.factory()
				.openSingle()
				.thenCompose((connection) -> connection.async()
					.clientId()
					// A user without the right to read the id cannot end a wait either
					.exceptionally((refused) -> UNKNOWN_CLIENT)
					.thenApply((id) -> new LettuceBlockingConnection(connection, id, this::unblock)))
				.whenComplete((connection, failure) -> {
					if (failure != null) {
						opened.completeExceptionally(new NotConnectedException("Not connected to Redis", failure));
						return;
					}
					for (LettuceBlockingConnection former : this.blocking) {
						if (!former.isOpen()) {
							this.blocking.remove(former);
						}
					}
					this.blocking.add(connection);
					if (this.closed) {
						connection.close();
					}
					opened.complete(connection);
				});
		}
		catch (RuntimeException ex) {
			opened.completeExceptionally(new NotConnectedException("Not connected to Redis", ex));
		}
	}

	private CompletionStage<Boolean> unblock(long client) {
		if (client == UNKNOWN_CLIENT) {
			return CompletableFuture.failedFuture(new NotConnectedException("The wait has its timeout", null));
		}
		return send((commands) -> commands.clientUnblock(client, UnblockType.TIMEOUT)).thenApply((ended) -> ended == 1);
	}

	@Override
	public String address() {
		return this.client.factory().address();
	}

	@Override
	public boolean isClustered() {
		return this.client.factory().isClusterAware();
	}

	@Override
	public int database() {
		return this.client.factory().getDatabase();
	}

	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		this.client.connector().shutdownNow();
		// Their timers are stopped too, and a breaker that waits for one would probe no
		// more, even if the
		// application continues
		this.attempts.forEach((attempt) -> attempt.completeExceptionally(new NotConnectedException("Closed", null)));
		LettuceLink link = this.current.getAndSet(LettuceLink.none(null));
		if (link.connection() != null) {
			link.connection().close();
		}
		this.replicated.forEach(LettuceReplicatedConnection::closeAndWait);
		this.replicated.clear();
		this.blocking.forEach(LettuceBlockingConnection::closeAndWait);
		this.blocking.clear();
		this.client.factory().destroy();
	}

	/**
	 * The driver, from one start to the next.
	 *
	 * @param connector opens connections, so that no guarded call ever waits for a
	 * handshake
	 */
	private record Client(DedicatedLettuceFactory factory, ScheduledExecutorService connector, LettuceShards shards) {

		static Client of(LettuceConnectionFactory application, Runnable newPrimary) {
			DedicatedLettuceFactory factory = DedicatedLettuceFactory.copyOf(application, newPrimary);
			return new Client(factory, Executors.newScheduledThreadPool(2, DaemonThreads.named("ge-redis-connect")),
					new LettuceShards(factory));
		}

	}

	@FunctionalInterface
	private interface Send<T> {

		CompletionStage<T> with(RedisClusterAsyncCommands<byte[], byte[]> commands);

	}

}
