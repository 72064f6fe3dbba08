// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The adapter for Jedis and foreign connection factories, on Spring Data's blocking
 * {@link RedisConnection}.
 * <p>
 * Commands run on a bounded pool of threads. So a caller waits no longer than its budget,
 * although the driver may wait for its own socket timeout, and methods with asynchronous
 * results are guarded without blocking their event loop. That bound is weaker than
 * Lettuce's: while Redis hangs, up to {@value #THREADS} threads hang with it, and further
 * commands are refused until one of them is free.
 */
final class SpringDataGuardConnection implements GuardConnection {

	static final int THREADS = 32;

	private static final int QUEUE = 1024;

	/** Commands for which no caller waits are sent as late as this. */
	private static final Duration QUEUEING = Duration.ofSeconds(1);

	static final boolean jedisPresent = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			SpringDataGuardConnection.class.getClassLoader());

	private final RedisConnectionFactory factory;

	/** A command that nobody waits for any more is not sent after all. */
	private final long longestQueueing;

	private volatile ExecutorService workers = workers();

	SpringDataGuardConnection(RedisConnectionFactory factory, Duration commandTimeout) {
		this.factory = factory;
		this.longestQueueing = Math.max(QUEUEING.toNanos(), commandTimeout.toNanos());
	}

	@Override
	public CompletionStage<List<?>> evalSha(String sha, byte[][] keys, byte[][] arguments) {
		return submit((connection) -> connection.scriptingCommands()
			.<List<?>>evalSha(sha.getBytes(StandardCharsets.US_ASCII), ReturnType.MULTI, keys.length,
					concat(keys, arguments)))
			.thenApply(SpringDataGuardConnection::elements);
	}

	@Override
	public CompletionStage<List<?>> eval(byte[] text, byte[][] keys, byte[][] arguments) {
		return submit((connection) -> connection.scriptingCommands()
			.<List<?>>eval(text, ReturnType.MULTI, keys.length, concat(keys, arguments)))
			.thenApply(SpringDataGuardConnection::elements);
	}

	private static List<?> elements(List<?> reply) {
		if (reply.stream().noneMatch(List.class::isInstance)) {
			return reply;
		}
		List<@Nullable Object> elements = new ArrayList<>();
		for (Object element : reply) {
			if (element instanceof List<?> list) {
				elements.addAll(elements(list));
			}
			else {
				elements.add(element);
			}
		}
		return elements;
	}

	@Override
	public CompletionStage<?> load(byte[] text) {
		return submit((connection) -> connection.scriptingCommands().scriptLoad(text));
	}

	@Override
	public CompletionStage<Integer> publish(byte[] channel, byte[] message) {
		return submit((connection) -> connection.publish(channel, message)).thenApply(Math::toIntExact);
	}

	private static ExecutorService workers() {
		ThreadPoolExecutor workers = new ThreadPoolExecutor(THREADS, THREADS, 30, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(QUEUE), DaemonThreads.named("ge-redis-command"));
		workers.allowCoreThreadTimeOut(true);
		return workers;
	}

	private <T> CompletableFuture<T> submit(Function<RedisConnection, T> command) {
		CompletableFuture<T> result = new CompletableFuture<>();
		long queued = System.nanoTime();
		try {
			this.workers.execute(() -> {
				if (System.nanoTime() - queued < this.longestQueueing) {
					run(command, result);
				}
				else {
					result.completeExceptionally(new NotConnectedException("No thread was free to send it", null));
				}
			});
		}
		catch (RejectedExecutionException ex) {
			result.completeExceptionally(new NotConnectedException("No thread is free to send it", ex));
		}
		return result;
	}

	private <T> void run(Function<RedisConnection, T> command, CompletableFuture<T> result) {
		RedisConnection connection;
		try {
			connection = this.factory.getConnection();
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(new NotConnectedException("Not connected to Redis", ex));
			return;
		}
		try {
			result.complete(command.apply(connection));
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(ex);
		}
		finally {
			connection.close();
		}
	}

	private static byte[][] concat(byte[][] keys, byte[][] arguments) {
		byte[][] all = Arrays.copyOf(keys, keys.length + arguments.length);
		System.arraycopy(arguments, 0, all, keys.length, arguments.length);
		return all;
	}

	@Override
	public CompletionStage<Void> reopen(Duration timeout) {
		return submit(RedisConnection::ping).orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
			.thenAccept((answer) -> {
			});
	}

	@Override
	public void restart() {
		if (this.workers.isShutdown()) {
			this.workers = workers();
		}
	}

	@Override
	public @Nullable Shard shardOf(byte[] key) {
		return null;
	}

	@Override
	public CompletionStage<Void> awaken(byte[] key, Duration timeout) {
		return reopen(timeout);
	}

	@Override
	public PushSubscription subscribe(PushSubscriber subscriber, List<byte[]> channels) {
		SpringDataPushSubscription subscription = new SpringDataPushSubscription(this.factory, subscriber, channels);
		subscription.start();
		return subscription;
	}

	/**
	 * With Jedis on one server; what a foreign factory puts behind a connection, and
	 * whether others use it too, is not known.
	 */
	@Override
	public boolean canAwaitReplicas() {
		return jedisPresent && this.factory instanceof JedisConnectionFactory && !isClustered();
	}

	@Override
	public CompletionStage<ReplicatedConnection> openReplicated(@Nullable String server) {
		return canAwaitReplicas() ? CompletableFuture.completedFuture(new BorrowedConnection())
				: GuardConnection.super.openReplicated(server);
	}

	@Override
	public String address() {
		return (jedisPresent && this.factory instanceof JedisConnectionFactory jedis) ? addressOf(jedis)
				: this.factory.getClass().getSimpleName();
	}

	private static String addressOf(JedisConnectionFactory factory) {
		RedisConfiguration cluster = factory.getClusterConfiguration();
		RedisConfiguration sentinel = factory.getSentinelConfiguration();
		if (cluster != null) {
			return GuardConnections.addressOf(cluster);
		}
		return GuardConnections
			.addressOf((sentinel != null) ? sentinel : Objects.requireNonNull(factory.getStandaloneConfiguration()));
	}

	@Override
	public boolean isClustered() {
		return !(jedisPresent && this.factory instanceof JedisConnectionFactory jedis) || jedis.isRedisClusterAware();
	}

	@Override
	public int database() {
		return GuardConnections.databaseOf(this.factory);
	}

	@Override
	public GuardConnection another() {
		return new SpringDataGuardConnection(this.factory, Duration.ofNanos(this.longestQueueing));
	}

	@Override
	public void close() {
		this.workers.shutdownNow();
	}

	/**
	 * Borrows a connection for each wait: a pipeline has one to itself, while other
	 * commands of a connection may each go over another one of the driver's pool.
	 */
	private final class BorrowedConnection implements ReplicatedConnection {

		private volatile boolean closed;

		@Override
		public CompletionStage<Acknowledged> run(List<Call> calls, int replicas, long millis) {
			CompletableFuture<Acknowledged> result = submit((connection) -> {
				connection.openPipeline();
				for (Call call : calls) {
					connection.execute("EVAL", evalArguments(call));
				}
				connection.execute("WAIT", bytes(replicas), bytes(millis));
				List<@Nullable Object> replies = connection.closePipeline();
				for (int i = 0; i < calls.size(); i++) {
					calls.get(i).complete((List<?>) replies.get(i), null);
				}
				int acknowledged = (replies.get(calls.size()) instanceof Long count) ? count.intValue() : 0;
				return new Acknowledged(acknowledged, (acknowledged < replicas) ? connected(connection) : -1);
			});
			result.whenComplete((acknowledged, failure) -> {
				if (failure != null) {
					calls.forEach((call) -> call.complete(null, failure));
				}
			});
			return result;
		}

		// By its text, since the failure of one command of a pipeline is that of all
		private static byte[][] evalArguments(Call call) {
			byte[][] keysAndArguments = concat(call.keys(), call.arguments());
			byte[][] all = new byte[keysAndArguments.length + 2][];
			all[0] = call.text();
			all[1] = bytes(call.keys().length);
			System.arraycopy(keysAndArguments, 0, all, 2, keysAndArguments.length);
			return all;
		}

		private static byte[] bytes(long number) {
			return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
		}

		private static int connected(RedisConnection connection) {
			try {
				Properties info = connection.serverCommands().info("replication");
				return (info != null) ? Integer.parseInt(info.getProperty("connected_slaves", "-1")) : -1;
			}
			catch (RuntimeException ex) {
				return -1;
			}
		}

		@Override
		public boolean isOpen() {
			return !this.closed;
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
